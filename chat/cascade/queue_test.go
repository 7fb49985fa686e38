package cascade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errNotNow = errors.New("the server said no")

// queueNow is the present of these tests.
var queueNow = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

func newTestQueue(t *testing.T) *Queue {
	t.Helper()
	return NewQueue(filepath.Join(t.TempDir(), "state"), func() time.Time { return queueNow })
}

// add puts cascades of windsurf into the queue.
func (q *Queue) add(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := q.Add(t.Context(), "windsurf", id); err != nil {
			t.Fatal(err)
		}
	}
}

// ids are what is in the queue.
func (q *Queue) ids(t *testing.T) []string {
	t.Helper()
	list, err := q.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.CascadeID)
	}
	return ids
}

func TestQueue(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	if ids := q.ids(t); ids != nil {
		t.Errorf("at first: %v", ids)
	}
	if _, err := os.Stat(q.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty queue made its directory: %v", err)
	}
	q.add(t, "a", "b", "a")
	if err := q.Add(t.Context(), "windsurf-next", "a"); err != nil {
		t.Fatal(err)
	}
	if err := q.Remove(t.Context(), "windsurf", "a"); err != nil {
		t.Fatal(err)
	}
	if err := q.Remove(t.Context(), "windsurf", "unknown"); err != nil {
		t.Fatal(err)
	}
	got, err := q.List(t.Context())
	want := []Queued{{"windsurf", "b", queueNow}, {"windsurf-next", "a", queueNow}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	info, err := os.Stat(q.path())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestQueueRefuses(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	for _, c := range [][2]string{{"", "a"}, {"windsurf", ""}, {"windsurf", "../a"}, {"windsurf", "a\nb"}, {strings.Repeat("v", 65), "a"}} {
		if err := q.Add(t.Context(), c[0], c[1]); err == nil {
			t.Errorf("%q: no error", c)
		}
	}
	if ids := q.ids(t); ids != nil {
		t.Errorf("got %v", ids)
	}
}

func TestQueueBounded(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	full := make([]Queued, maxQueue)
	for i := range full {
		full[i] = Queued{strings.Repeat("v", 64), strconv.Itoa(i) + strings.Repeat("x", 124), queueNow}
	}
	if err := errors.Join(os.MkdirAll(q.dir, 0o700), os.WriteFile(q.path(), queueText(full), 0o600)); err != nil {
		t.Fatal(err)
	}
	q.add(t, "new")
	ids := q.ids(t)
	if len(ids) != maxQueue || ids[0] != full[1].CascadeID || ids[maxQueue-1] != "new" {
		t.Errorf("got %d, from %.9s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
}

func TestQueueCorrupt(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"empty", ""},
		{"nonsense", "nonsense"},
		{"cut_off", `{"schema":1,"cascades":[{"variant":"windsurf"`},
		{"newer", `{"schema":2,"cascades":[]}`},
		{"bad_id", `{"schema":1,"cascades":[{"variant":"windsurf","cascade_id":"../a"}]}`},
		{"no_variant", `{"schema":1,"cascades":[{"cascade_id":"a"}]}`},
		{"more", `{"schema":1,"cascades":[]}{}`},
		{"too_large", strings.Repeat(" ", maxQueueFile) + `{"schema":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newTestQueue(t)
			if err := os.MkdirAll(q.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for range 2 { // in the same second
				if err := os.WriteFile(q.path(), []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
				q.add(t, "a")
				if diff := cmp.Diff([]string{"a"}, q.ids(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			aside, err := filepath.Glob(q.path() + "-unreadable-*")
			if len(aside) != 2 || err != nil {
				t.Fatalf("aside: %v, %v", aside, err)
			}
			for _, name := range aside {
				if text, err := os.ReadFile(name); string(text) != tt.text || err != nil {
					t.Errorf("aside: %.80q, %v", text, err)
				}
			}
		})
	}
}

func TestQueueDrain(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	q.add(t, "a", "gone", "stays", "b")
	var asked []string
	got, err := q.Drain(t.Context(), func(ctx context.Context, variant, id string) error {
		asked = append(asked, variant+" "+id)
		switch id {
		case "gone":
			return fmt.Errorf("archive: %w", ErrGone)
		case "stays":
			return errNotNow
		case "b": // meanwhile, another process adds one
			return q.Add(ctx, variant, "new")
		}
		return nil
	})
	if want := (Drained{Archived: 2, Gone: 1, Left: 1}); got != want || !errors.Is(err, errNotNow) {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"windsurf a", "windsurf gone", "windsurf stays", "windsurf b"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stays", "new"}, q.ids(t)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestQueueDrainInterrupted: what was archived is out, the rest is in.
func TestQueueDrainInterrupted(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	q.add(t, "a", "b", "c")
	ctx, cancel := context.WithCancel(t.Context())
	got, err := q.Drain(ctx, func(context.Context, string, string) error {
		cancel()
		return nil
	})
	if want := (Drained{Archived: 1, Left: 2}); got != want || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"b", "c"}, q.ids(t)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestQueueAtOnce(t *testing.T) {
	t.Parallel()
	q := newTestQueue(t)
	var want []string
	var wg sync.WaitGroup
	for i := range 40 {
		id := fmt.Sprintf("c%02d", i)
		if i%2 == 0 {
			want = append(want, id)
		}
		wg.Go(func() {
			// As another process has it.
			other := NewQueue(q.dir, q.now)
			if err := other.Add(t.Context(), "windsurf", id); err != nil {
				t.Error(err)
			}
			if i%2 == 1 {
				if err := other.Remove(t.Context(), "windsurf", id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := q.ids(t)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzQueue(f *testing.F) {
	f.Add(queueText([]Queued{{"windsurf", "a", queueNow}}))
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, ok := parseQueue(text)
		if !ok {
			return
		}
		for _, c := range list {
			if !ValidID(c.CascadeID) {
				t.Errorf("%q: got %+v", text, c)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Skip("a time that JSON has, but Go does not write")
			}
		}
		again, ok := parseQueue(queueText(list))
		if !ok || len(again) != len(list) {
			t.Errorf("%q: %v becomes %v", text, list, again)
		}
	})
}
