package tray

import (
	"log/slog"
	"os"
	"path/filepath"

	"windsock/probe/redact"
)

const (
	// LogName is what the log is called.
	LogName = "windsock.log"
	// logSize is the size of the log in bytes, and of the older one beside it.
	logSize = 1 << 20
)

// openLog is the log: a file of bounded size and, where it is not in the way of
// anybody, stderr.
func (l Launch) openLog() (logger *slog.Logger, closeLog func()) {
	stderr := slog.NewTextHandler(l.Stderr, &slog.HandlerOptions{Level: l.Level})
	if l.StateDir == "" {
		stderr = slog.NewTextHandler(l.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
		return slog.New(stderr), func() {}
	}
	if err := os.MkdirAll(l.StateDir, 0o700); err != nil {
		logger := slog.New(stderr)
		logger.Warn("no log file", slog.Any("err", redact.Path(err)))
		return logger, func() {}
	}
	file, err := openLogFile(filepath.Join(l.StateDir, LogName), logSize)
	if err != nil { // later on nobody is told
		logger := slog.New(stderr)
		logger.Warn("no log file", slog.Any("err", redact.Path(err)))
		return logger, func() {}
	}
	handler := slog.Handler(slog.NewTextHandler(file, &slog.HandlerOptions{Level: l.Level}))
	if l.Headless {
		handler = slog.NewMultiHandler(handler, stderr)
	}
	return slog.New(handler), func() { _ = file.Close() } // what it could not write is lost either way
}
