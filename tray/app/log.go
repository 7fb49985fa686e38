package app

import (
	"log/slog"
	"os"
	"path/filepath"

	"windsock/probe/redact"
)

const (
	// logName is the log's file name.
	logName = "windsock.log"
	// logSize is the size limit in bytes, for the log and the older one beside it.
	logSize = 1 << 20
)

// openLog opens the log: a file of limited size, and stderr without an icon or a file.
func (p process) openLog(level slog.Leveler) (logger *slog.Logger, closeLog func()) {
	options := &slog.HandlerOptions{Level: level}
	stderr := slog.NewTextHandler(p.stderr, options)
	if p.logDir == "" {
		return slog.New(stderr), func() {}
	}
	var file *logFile
	err := os.MkdirAll(p.logDir, 0o700)
	if err == nil {
		file, err = openLogFile(filepath.Join(p.logDir, logName), logSize)
	}
	if err != nil {
		logger := slog.New(stderr)
		logger.Warn("no log file", slog.Any("err", redact.Path(err)))
		return logger, func() {}
	}
	handler := slog.Handler(slog.NewTextHandler(file, options))
	if p.headless {
		handler = slog.NewMultiHandler(handler, stderr)
	}
	return slog.New(handler), func() { _ = file.Close() } // what it could not write is lost either way
}
