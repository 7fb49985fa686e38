package instance

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"windsock/probe/say"
)

func acquire(t *testing.T, dir string) *Lock {
	t.Helper()
	l, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release() })
	return l
}

func TestDirectoryIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "windsock")
	acquire(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 && runtime.GOOS != "windows" {
		t.Errorf("mode %o, want 700", got)
	}
}

func TestOneProcessHoldsItOnce(t *testing.T) {
	dir := t.TempDir()
	acquire(t, dir)
	_, err := Acquire(dir)
	running, ok := errors.AsType[*RunningError](err)
	if !ok || !errors.Is(err, ErrRunning) || running.PID != os.Getpid() {
		t.Errorf("second Acquire: %v", err)
	}
}

func TestReleaseIsIdempotent(t *testing.T) {
	dir := t.TempDir()
	first := acquire(t, dir)
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second := acquire(t, dir)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := first.Release(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, err := Acquire(dir); !errors.Is(err, ErrRunning) {
		t.Errorf("an old Release took the lock away: %v", err)
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

// The number may be unknown, or that of a holder before.
func TestPID(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
	}{
		{"written", "\x004242\n", "Windsock is already running (PID 4242)."},
		{"rest_of_a_longer_one", "\x00424\n2\n", "Windsock is already running (PID 424)."},
		{"empty", "", "Windsock is already running."},
		{"not_finished", "\x0042", "Windsock is already running."},
		{"not_a_number", "\x00no\n", "Windsock is already running."},
		{"negative", "\x00-1\n", "Windsock is already running."},
		{"too_large", "\x00" + strings.Repeat("9", 40) + "\n", "Windsock is already running."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			acquire(t, dir)
			path := filepath.Join(dir, fileName)
			if err := os.Truncate(path, 0); err != nil {
				t.Skip(err) // Windows locks its beginning
			}
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Skip(err)
			}
			_, err := Acquire(dir)
			if got := say.Sentence(err, ""); got != tt.want {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
}

// assertUnusable checks that Acquire fails without taking it for a second
// instance, tells people, and keeps the path to itself.
func assertUnusable(t *testing.T, dir, want string) {
	t.Helper()
	l, err := Acquire(dir)
	if err == nil {
		_ = l.Release()
		t.Fatal("acquired")
	}
	if errors.Is(err, ErrRunning) {
		t.Fatalf("got %v", err)
	}
	for _, text := range []string{err.Error(), say.Sentence(err, "")} {
		if !strings.Contains(text, want) || strings.Contains(text, dir) {
			t.Errorf("says %q, want %q without %q", text, want, dir)
		}
	}
}

func TestDirectoryForAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, fileName), 0o700); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, dir, "not a regular file")
}
