package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/tray"
	"windsock/tray/instance"
	"windsock/tray/window"
)

func launch(t *testing.T, lockDir string, beside func(context.Context) error) (stderr string, err error) {
	t.Helper()
	var told strings.Builder
	closed := false
	err = process{
		parts: parts{lockDir: lockDir, leastLevel: slog.LevelWarn}, headless: true, stdout: io.Discard, stderr: &told,
		assemble: func(*slog.Logger, *slog.LevelVar) assembly {
			return assembly{
				app:    tray.App{Poller: make(statesOf)},
				beside: []func(context.Context) error{beside},
				close:  func() { closed = true },
			}
		},
	}.run(t.Context())
	if !closed {
		t.Error("the parts were not closed")
	}
	return told.String(), err
}

// TestLaunch is not parallel: a launch sets the process's logger.
func TestLaunch(t *testing.T) {
	errBroken := errors.New("poll: broken")
	broken := func(context.Context) error { return errBroken }
	t.Run("an_error_beside_ends_it", func(t *testing.T) {
		stderr, err := launch(t, "", broken)
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
		asked := make(chan instance.Request, 2)
		go func() { _ = lock.Requests(t.Context(), func(r instance.Request) { asked <- r }) }()
		for _, headless := range []bool{true, false} {
			var stdout strings.Builder
			err = process{parts: parts{lockDir: dir}, headless: headless, stdout: &stdout}.run(t.Context())
			if err != nil || !strings.HasPrefix(stdout.String(), "Windsock is already running") {
				t.Errorf("headless %v: error %v, said %q", headless, err, stdout.String())
			}
		}
		// The one without an icon asks for nothing.
		if r := <-asked; r.View != string(window.Prompt) || len(asked) != 0 {
			t.Errorf("the first one shows %q, and %d more are asked for", r.View, len(asked))
		}
	})
	t.Run("a_lock_in_the_way_costs_a_sentence", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "windsock.lock"), 0o700); err != nil {
			t.Fatal(err)
		}
		stderr, err := launch(t, dir, broken)
		if !errors.Is(err, errBroken) || !strings.Contains(stderr, "cannot tell whether it is already running") {
			t.Errorf("error %v, told %q", err, stderr)
		}
	})
	t.Run("the_log_package_ends_up_in_the_log", func(t *testing.T) {
		stderr, _ := launch(t, "", func(context.Context) error {
			slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn).Print("systray error: odd")
			return errBroken
		})
		if !strings.Contains(stderr, "systray error: odd") {
			t.Errorf("told %q", stderr)
		}
	})
}
