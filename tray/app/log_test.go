package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	logger, closeLog := process{parts: parts{logDir: dir}, stderr: &strings.Builder{}}.openLog(slog.LevelInfo)
	for range 4000 {
		logger.Info("much", slog.String("text", strings.Repeat("x", 1000)))
	}
	closeLog()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
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
	if size > logSize || size == 0 || len(files) != 2 {
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

// TestLogThatCannotBeWritten: the obstacle is reported in a readable place, without
// the path.
func TestLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	logger, closeLog := process{parts: parts{logDir: filepath.Join(file, "state")}, stderr: &stderr}.openLog(slog.LevelInfo)
	defer closeLog()
	logger.Info("more")
	if told := stderr.String(); !strings.Contains(told, "no log file") || !strings.Contains(told, "more") || strings.Contains(told, file) {
		t.Errorf("told %q", told)
	}
}

// TestLogFollowsNothing: what others put where the log should be, or the older one,
// is not written to.
func TestLogFollowsNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	const valuable = "mine\n"
	plant := func(t *testing.T, name string) (state, target string) {
		t.Helper()
		state, target = t.TempDir(), filepath.Join(t.TempDir(), "target")
		if err := os.WriteFile(target, []byte(valuable), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(state, name)); err != nil {
			t.Fatal(err)
		}
		return state, target
	}
	untouched := func(t *testing.T, target string) {
		t.Helper()
		if text, err := os.ReadFile(target); err != nil || string(text) != valuable {
			t.Errorf("the target of the link: %.80q, %v", text, err)
		}
	}
	t.Run("link", func(t *testing.T) {
		t.Parallel()
		state, target := plant(t, logName)
		var stderr strings.Builder
		logger, closeLog := process{parts: parts{logDir: state}, stderr: &stderr}.openLog(slog.LevelInfo)
		logger.Info("more")
		closeLog()
		untouched(t, target)
		if told := stderr.String(); !strings.Contains(told, "no log file") || !strings.Contains(told, "more") {
			t.Errorf("told %q", told)
		}
	})
	t.Run("link_to_nowhere", func(t *testing.T) {
		t.Parallel()
		state, target := plant(t, logName)
		if err := os.Remove(target); err != nil {
			t.Fatal(err)
		}
		_, closeLog := process{parts: parts{logDir: state}, stderr: &strings.Builder{}}.openLog(slog.LevelInfo)
		closeLog()
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the target is there: %v", err)
		}
	})
	t.Run("older", func(t *testing.T) {
		t.Parallel()
		state, target := plant(t, logName+olderLog)
		log, err := openLogFile(filepath.Join(state, logName), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range []string{"the first\n", "the second\n", "the third\n"} {
			if _, err := log.Write([]byte(entry)); err != nil {
				t.Error(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		untouched(t, target)
		older, err := os.ReadFile(filepath.Join(state, logName+olderLog))
		if err != nil || string(older) != "the second\n" {
			t.Errorf("the older log: %q, %v", older, err)
		}
	})
	t.Run("link_when_it_is_full", func(t *testing.T) {
		t.Parallel()
		state, target := plant(t, "spare")
		log, err := openLogFile(filepath.Join(state, logName), 10)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		if _, err := log.Write([]byte("the first\n")); err != nil {
			t.Fatal(err)
		}
		// The link comes in the moment after the log has become the older one.
		if err := log.turn(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(state, "spare"), filepath.Join(state, logName)); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Write([]byte("the second\n")); err == nil {
			t.Error("written")
		}
		untouched(t, target)
	})
}

// TestLogGoesOn: a log is carried on, and not after its end.
func TestLogGoesOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), logName)
	for _, entry := range []string{"the first\n", "the second\n"} {
		log, err := openLogFile(path, 100)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Write([]byte(entry)); err != nil {
			t.Error(err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		if _, err := log.Write([]byte("late\n")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "the first\nthe second\n" {
		t.Errorf("log: %q, %v", text, err)
	}
}
