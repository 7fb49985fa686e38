package instance

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	assertEmpty(t, dir)
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

func TestMessages(t *testing.T) {
	type said struct{ Error, Sentence string }
	for _, tt := range []struct {
		name string
		err  *RunningError
		want said
	}{
		{"known", &RunningError{PID: 4242}, said{"already running (PID 4242)", "Windsock is already running (PID 4242)."}},
		{"unknown", &RunningError{}, said{"already running", "Windsock is already running."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, said{tt.err.Error(), tt.err.Sentence()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadPID(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"written", "\x004242\n", 4242},
		{"rest_of_a_longer_one", "\x00424\n2\n", 424},
		{"empty", "", 0},
		{"not_finished", "\x0042", 0},
		{"not_a_number", "\x00no\n", 0},
		{"negative", "\x00-1\n", 0},
		{"too_large", "\x00" + strings.Repeat("9", 30) + "\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), fileName)
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := readPID(path); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
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
	failed, ok := errors.AsType[*lockError](err)
	if !ok || errors.Is(err, ErrRunning) {
		t.Fatalf("got %v", err)
	}
	for _, said := range []string{failed.Error(), failed.Sentence()} {
		if !strings.Contains(said, want) || strings.Contains(said, dir) {
			t.Errorf("says %q, want %q without %q", said, want, dir)
		}
	}
}

func TestUnusable(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		spoil      func(path string) error
	}{
		{"directory", "not a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.spoil(filepath.Join(dir, fileName)); err != nil {
				t.Fatal(err)
			}
			assertUnusable(t, dir, tt.want)
		})
	}
}
