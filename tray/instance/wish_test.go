package instance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hear takes wishes until the end of the test, and leaves nothing behind.
func hear(t *testing.T, l *Lock) <-chan Wish {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	taken, done := make(chan Wish, 100), make(chan error, 1)
	go func() { done <- l.Wishes(ctx, func(w Wish) { taken <- w }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(filepath.Dir(l.path)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return taken
}

func limited(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestAsk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a [strange] *name?")
	if strings.ContainsRune(`\`, filepath.Separator) {
		dir = t.TempDir() // where such names are none
	}
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"old": time.Hour, "early": 0} {
		path := filepath.Join(dir, wishPrefix+name+wishSuffix)
		if err := os.WriteFile(path, []byte(`{"view":"`+name+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	taken := hear(t, lock)
	if diff := cmp.Diff(Wish{View: "early"}, <-taken); diff != "" {
		t.Errorf("what came before (-want +got):\n%s", diff)
	}
	want := Wish{View: "usage", Activation: "token", StartupID: "id"}
	if err := Ask(limited(t, 10*time.Second), dir, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, <-taken); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, nonsense := range []string{"", "{", strings.Repeat("x", maxWish+1)} {
		// Each has a name of its own: Windows replaces no file that is being read.
		path := filepath.Join(dir, fmt.Sprint(wishPrefix, 2+i, wishSuffix))
		if err := os.WriteFile(filepath.Join(dir, "2"), []byte(nonsense), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "2"), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := Ask(limited(t, 10*time.Second), dir, want); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, <-taken); diff != "" {
		t.Errorf("after nonsense (-want +got):\n%s", diff)
	}
}

// Who asks is not kept waiting while another wish is granted, however long that
// takes, and what was wished for last is granted after it.
func TestAskWhileGranting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	taken, granted, done := make(chan string), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- lock.Wishes(ctx, func(w Wish) {
			taken <- w.View
			<-granted
		})
	}()
	ask := func(view string) {
		t.Helper()
		if err := Ask(limited(t, 10*time.Second), dir, Wish{View: view}); err != nil {
			t.Fatalf("%s: %v", view, err)
		}
	}
	ask("prompt")
	if got := <-taken; got != "prompt" {
		t.Errorf("took %s", got)
	}
	ask("usage")
	ask("cascades")
	close(granted)
	got := <-taken
	if got == "usage" { // who asks is let go a moment before the wish is kept
		got = <-taken
	}
	if got != "cascades" {
		t.Errorf("took %s", got)
	}
	cancel()
	if err := errors.Join(<-done, lock.Release()); err != nil {
		t.Error(err)
	}
}

func TestAskNobody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		lock string // what the file holds; "-" is no file
	}{
		{"nobody", "-"},
		{"killed", " 4194304000\n"},
		{"deaf", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.lock != "-" {
				if err := os.WriteFile(filepath.Join(dir, fileName), []byte(tt.lock), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Ask(limited(t, 50*time.Millisecond), dir, Wish{View: "prompt"}); !errors.Is(err, ErrNotRunning) {
				t.Errorf("got %v", err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
