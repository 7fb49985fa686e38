package instance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hear takes requests until the end of the test, and leaves nothing behind.
func hear(t *testing.T, l *Lock) <-chan Request {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	taken, done := make(chan Request, 100), make(chan error, 1)
	go func() { done <- l.Requests(ctx, func(w Request) { taken <- w }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(l.dir); err != nil || len(left) > 1 {
			t.Errorf("left behind beside the lock: %v, %v", left, err)
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
		dir = t.TempDir() // such names do not exist there
	}
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, requestName)
	if err := os.WriteFile(path, []byte(`{"view":"early"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := hear(t, lock)
	if diff := cmp.Diff(Request{View: "early"}, <-taken); diff != "" {
		t.Errorf("what came before (-want +got):\n%s", diff)
	}
	want := Request{View: "usage", Activation: "token", StartupID: "id"}
	if err := Ask(limited(t, 10*time.Second), dir, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, <-taken); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, nonsense := range []string{"", "{", strings.Repeat("x", maxRequest+1)} {
		draft := filepath.Join(dir, "draft")
		if err := errors.Join(os.WriteFile(draft, []byte(nonsense), 0o600), os.Rename(draft, path)); err != nil {
			t.Fatal(err)
		}
		waitGone(t, path)
	}
	if err := Ask(limited(t, 10*time.Second), dir, want); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, <-taken); diff != "" {
		t.Errorf("after nonsense (-want +got):\n%s", diff)
	}
}

// waitGone waits until a request was taken away.
func waitGone(t *testing.T, path string) {
	t.Helper()
	for ctx := limited(t, 10*time.Second); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(path); err != nil {
			return
		}
	}
	t.Fatal("a request was not taken away")
}

// What somebody who was killed has left there is not done.
func TestOldRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, old := filepath.Join(dir, requestName), time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, []byte(`{"view":"old"}`), 0o600), os.Chtimes(path, old, old)); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	taken := hear(t, lock)
	waitGone(t, path)
	if err := Ask(limited(t, 10*time.Second), dir, Request{View: "new"}); err != nil {
		t.Fatal(err)
	}
	if got := <-taken; got.View != "new" {
		t.Errorf("took %s", got.View)
	}
}

// No request is lost. On Windows its file cannot be opened for a moment after it was
// moved there.
func TestAskAgainAndAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	taken := hear(t, lock)
	for range 100 {
		if err := Ask(limited(t, 10*time.Second), dir, Request{View: "usage"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-taken:
		case <-limited(t, 10*time.Second).Done():
			t.Fatal("a request was lost")
		}
	}
}

// Ask returns while another request is still being handled, however long that takes,
// and the last request is handled after it.
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
		done <- lock.Requests(ctx, func(w Request) {
			taken <- w.View
			<-granted
		})
	}()
	ask := func(view string) {
		t.Helper()
		if err := Ask(limited(t, 10*time.Second), dir, Request{View: view}); err != nil {
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
	if got == "usage" { // Ask returns a moment before the request is stored
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
		lock string // the file's content; "-" is no file
	}{
		{"nobody", "-"},
		{"killed", " 4194304000\n"},
		{"ended", " 0\n"},
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
			if err := Ask(limited(t, 50*time.Millisecond), dir, Request{View: "prompt"}); !errors.Is(err, ErrNotRunning) {
				t.Errorf("got %v", err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
