package tray

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/instance"
	"windsock/usage"
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
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
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

// idlePoller is one that is quiet.
type idlePoller struct{ fakePoller }

func launch(t *testing.T, runtimeDir string, beside func(context.Context) error) (stdout, stderr string, err error) {
	t.Helper()
	var out, told strings.Builder
	closed := false
	err = Launch{
		Headless: true, RuntimeDir: runtimeDir, Level: slog.LevelWarn, Stdout: &out, Stderr: &told,
		Assemble: func(context.Context, *slog.Logger) Parts {
			return Parts{
				App:    App{Poller: &idlePoller{fakePoller{states: make(chan usage.PollState)}}},
				Beside: []func(context.Context) error{beside},
				Close:  func() { closed = true },
			}
		},
	}.Run(t.Context())
	if !closed && out.String() == "" {
		t.Error("the parts were not closed")
	}
	return out.String(), told.String(), err
}

// TestLaunch is not parallel: a launch sets the process's logger.
func TestLaunch(t *testing.T) {
	errBroken := errors.New("poll: broken")
	broken := func(context.Context) error { return errBroken }
	t.Run("an_error_beside_ends_it", func(t *testing.T) {
		_, stderr, err := launch(t, "", broken)
		if !errors.Is(err, errBroken) || stderr != "" { // which the command tells
			t.Errorf("error %v, told %q", err, stderr)
		}
	})
	t.Run("a_second_one_says_so", func(t *testing.T) {
		dir := t.TempDir()
		lock, err := instance.Acquire(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lock.Release() }()
		stdout, _, err := launch(t, dir, broken)
		if err != nil || !strings.HasPrefix(stdout, "Windsock is already running") {
			t.Errorf("error %v, said %q", err, stdout)
		}
	})
	t.Run("a_lock_in_the_way_costs_a_sentence", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "windsock.lock"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, stderr, err := launch(t, dir, broken)
		if !errors.Is(err, errBroken) || !strings.Contains(stderr, "cannot tell whether it is already running") {
			t.Errorf("error %v, told %q", err, stderr)
		}
	})
	t.Run("the_log_package_ends_up_in_the_log", func(t *testing.T) {
		_, stderr, _ := launch(t, "", func(context.Context) error {
			slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn).Print("systray error: odd")
			return errBroken
		})
		if !strings.Contains(stderr, "systray error: odd") {
			t.Errorf("told %q", stderr)
		}
	})
	if diff := cmp.Diff("plain", plain(&os.PathError{Path: "/home/robin", Err: errors.New("plain")}).Error()); diff != "" {
		t.Error(diff)
	}
}
