package tray

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	logger, closeLog := Launch{StateDir: dir, Level: slog.LevelInfo, Stderr: &strings.Builder{}}.openLog()
	for range 4000 {
		logger.Info("much", slog.String("text", strings.Repeat("x", 1000)))
	}
	closeLog()
	var files []os.DirEntry
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var err error
		if files, err = os.ReadDir(dir); err != nil {
			t.Fatal(err)
		}
		if len(files) <= 2 || time.Now().After(deadline) { // old ones go a little later
			break
		}
	}
	var size int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if !private(info, 0o600) {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
		size = max(size, info.Size())
	}
	if size > logMegabytes<<20 || size == 0 || len(files) > 2 {
		t.Errorf("%d files, the largest of %d bytes", len(files), size)
	}
	if info, err := os.Stat(dir); err != nil || !private(info, 0o700) {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
}

// private reports whether a file has a mode, where there are modes.
func private(info os.FileInfo, mode os.FileMode) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm() == mode
}

// TestLogThatCannotBeWritten: what is in the way is told where somebody may
// read it, without the path.
func TestLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	logger, closeLog := Launch{StateDir: filepath.Join(file, "state"), Level: slog.LevelInfo, Stderr: &stderr}.openLog()
	defer closeLog()
	logger.Info("more")
	if told := stderr.String(); !strings.Contains(told, "no log file") || !strings.Contains(told, "more") || strings.Contains(told, file) {
		t.Errorf("told %q", told)
	}
}
