package kept_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/kept"
	"windsock/probe/say"
)

const (
	one = `{"left":1}`
	two = `{"left":2}`
)

func always(kept.Last) bool { return true }

// answersOne is a question whose answer is one.
func answersOne(_ context.Context, l kept.Last) kept.Last {
	return l.Answered(json.RawMessage(one), "")
}

// unasked fails a test that asks.
func unasked(t *testing.T) func(context.Context, kept.Last) kept.Last {
	t.Helper()
	return func(_ context.Context, l kept.Last) kept.Last {
		t.Error("the source is asked")
		return l
	}
}

func placeAt(dir string, at time.Time) kept.Place {
	return kept.Place{Dir: dir, Name: "source", Now: func() time.Time { return at }}
}

func get(t *testing.T, p kept.Place, due func(kept.Last) bool, ask func(context.Context, kept.Last) kept.Last) kept.Last {
	t.Helper()
	l, err := p.Get(t.Context(), due, ask)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, p.Read()); diff != "" {
		t.Errorf("what Get returns and Read reads differ (-Get +Read):\n%s", diff)
	}
	return l
}

func writeFile(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "source.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	first, later := placeAt(dir, testNow), placeAt(dir, testNow.Add(time.Hour))
	answered := kept.Last{Asked: testNow, Answer: json.RawMessage(one), At: testNow}
	failed := answered
	failed.Asked, failed.Failed = testNow.Add(time.Hour), &kept.Failure{Code: "offline", What: "No network.", Times: 1}
	steps := []struct {
		name string
		got  kept.Last
		want kept.Last
	}{
		{"nothing_is_kept", first.Read(), kept.Last{}},
		{"not_due", get(t, first, func(kept.Last) bool { return false }, unasked(t)), kept.Last{}},
		{"answer", get(t, first, always, answersOne), answered},
		{"failure", get(t, later, always, func(_ context.Context, l kept.Last) kept.Last {
			return l.Failing(&say.Error{Code: "offline", What: "No network."})
		}), failed},
		{"not_due_again", get(t, later, func(l kept.Last) bool { return l.Failed == nil }, unasked(t)), failed},
	}
	for _, s := range steps {
		if diff := cmp.Diff(s.want, s.got); diff != "" {
			t.Errorf("%s:\n%s", s.name, diff)
		}
	}
	for _, name := range []string{"source.json", "source.lock"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestTenProcesses: of ten at once one asks, and all have its answer.
func TestTenProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if out, err := askerProcess(t, dir, "").Output(); string(out) != one || err != nil {
				t.Errorf("answer %q, %v", out, err)
			}
		})
	}
	all.Wait()
	if n := timesAsked(t, dir); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestProcessDies: a question counts from its beginning, since its process may be ended.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		if out, err := askerProcess(t, dir, "die").Output(); len(out) > 0 || err != nil {
			t.Errorf("answer %q, %v", out, err)
		}
	}
	if n := timesAsked(t, dir); n != 1 {
		t.Errorf("asked %d times", n)
	}
	p := kept.Place{Dir: dir, Name: "source"}
	l := p.Read()
	if askedLongAgo(l) {
		t.Errorf("asked %v", l.Asked)
	}
	if diff := cmp.Diff(kept.Last{Asked: l.Asked}, l); diff != "" {
		t.Error(diff)
	}
	get(t, placeAt(dir, l.Asked.Add(time.Hour)), always, answersOne) // and the one after is asked again
}

func timesAsked(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(list, []byte("\n"))
}

// TestReadTimes: what is of the future has no known age, and counts as missing.
func TestReadTimes(t *testing.T) {
	t.Parallel()
	const answer = `"answer":` + one
	failed := &kept.Failure{Code: "offline", What: "No network.", Times: 2, Until: testNow.Add(time.Hour)}
	const failedText = `"failed":{"code":"offline","what":"No network.","times":2,"until":"2026-11-23T11:00:00Z"}`
	tests := []struct {
		name, text string
		want       kept.Last
	}{
		{
			"past", `{"asked":"2026-11-23T09:00:00Z",` + answer + `,"at":"2026-11-23T08:00:00Z","account":"a",` + failedText + `}`,
			kept.Last{Asked: testNow.Add(-time.Hour), Answer: json.RawMessage(one), At: testNow.Add(-2 * time.Hour), Account: "a", Failed: failed},
		},
		{"a_minute_ahead", `{"asked":"2026-11-23T10:01:00Z"}`, kept.Last{Asked: testNow.Add(time.Minute)}},
		{
			"asked_ahead", `{"asked":"2026-11-23T10:01:01Z",` + answer + `,"at":"2026-11-23T08:00:00Z",` + failedText + `}`,
			kept.Last{Answer: json.RawMessage(one), At: testNow.Add(-2 * time.Hour)},
		},
		{"answer_ahead", `{"asked":"2026-11-23T09:00:00Z",` + answer + `,"at":"2026-11-23T10:01:01Z","account":"a"}`, kept.Last{Asked: testNow.Add(-time.Hour)}},
		{"answer_without_time", `{` + answer + `,"account":"a"}`, kept.Last{}},
		{"null_answer", `{"answer":null,"at":"2026-11-23T08:00:00Z"}`, kept.Last{}},
		{"time_without_answer", `{"at":"2026-11-23T08:00:00Z","account":"a"}`, kept.Last{}},
		{"under_way", `{"asked":"2026-11-23T08:00:00Z","asking":"2026-11-23T09:00:00Z"}`, kept.Last{Asked: testNow.Add(-time.Hour)}},
		{"under_way_ahead", `{"asked":"2026-11-23T08:00:00Z","asking":"2026-11-23T10:01:01Z"}`, kept.Last{Asked: testNow.Add(-2 * time.Hour)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, dir, tt.text)
			if diff := cmp.Diff(tt.want, placeAt(dir, testNow).Read()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadUnusable: a file that cannot be used counts as missing, and is replaced.
func TestReadUnusable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "cut_off": `{"asked":"2026-11-23T09:00:00Z"`, "other_form": `{"asked":1}`, "list": `[]`, "text": `"a"`,
		"too_large": `{"asked":"2026-11-23T09:00:00Z"` + strings.Repeat(" ", 2<<20) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := placeAt(t.TempDir(), testNow)
			writeFile(t, p.Dir, text)
			if diff := cmp.Diff(kept.Last{}, p.Read()); diff != "" {
				t.Error(diff)
			}
			get(t, p, always, answersOne)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"asked":"2026-11-23T09:00:00Z","answer":{"left":1},"at":"2026-11-23T08:00:00Z","failed":{"code":"offline","times":2}}`)
	f.Add(`{"asked":"0001-01-01T00:00:00Z","answer":null,"asking":"9999-12-31T23:59:59Z"}`)
	f.Fuzz(func(t *testing.T, text string) {
		p := placeAt(t.TempDir(), testNow)
		writeFile(t, p.Dir, text)
		l := p.Read()
		if (l.Answer == nil) != l.At.IsZero() || l.At.After(testNow.Add(time.Minute)) || l.Asked.After(testNow.Add(time.Minute)) {
			t.Errorf("%q is read as %+v", text, l)
		}
	})
}

// TestGetUnnoted: where a question cannot be noted, it is not asked.
func TestGetUnnoted(t *testing.T) {
	t.Parallel()
	before := kept.Last{Asked: testNow, Answer: json.RawMessage(one), At: testNow}
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
		want kept.Last
	}{
		{"directory_is_a_file", func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, kept.Last{}},
		{"file_is_a_directory", func(t *testing.T, dir string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Join(dir, "source.json", "a"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, kept.Last{}},
		{"lock_is_a_directory", func(t *testing.T, dir string) {
			t.Helper()
			get(t, placeAt(dir, testNow), always, answersOne)
			lock := filepath.Join(dir, "source.lock")
			if err := errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, before},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			tt.make(t, dir)
			l, err := placeAt(dir, testNow).Get(t.Context(), always, unasked(t))
			if diff := cmp.Diff(tt.want, l); diff != "" {
				t.Error(diff)
			}
			if say.Code(err) != "bad_response" || say.Exit(err) != 1 || strings.Contains(err.Error(), dir) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// whileAnother calls what with a source that another process asks, in a minute, for two.
// The time is synctest's.
func whileAnother(t *testing.T, before bool, what func(t *testing.T, p kept.Place)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := kept.Place{Dir: dir, Name: "source"}
		if before {
			get(t, p, always, answersOne)
			time.Sleep(time.Hour)
		}
		asks := make(chan struct{})
		go func() {
			_, _ = p.Get(context.Background(), always, func(_ context.Context, l kept.Last) kept.Last {
				close(asks)
				time.Sleep(time.Minute)
				return l.Answered(json.RawMessage(two), "")
			})
		}()
		<-asks
		what(t, p)
		time.Sleep(time.Hour)
	})
}

// TestGetWaits: who comes while another asks has that one's result.
func TestGetWaits(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"first": false, "later": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whileAnother(t, before, func(t *testing.T, p kept.Place) {
				t.Helper()
				if l := get(t, p, func(l kept.Last) bool { return time.Since(l.Asked) > 30*time.Minute }, unasked(t)); string(l.Answer) != two {
					t.Errorf("answer %s", l.Answer)
				}
			})
		})
	}
}

func TestGetCancelled(t *testing.T) {
	t.Parallel()
	whileAnother(t, true, func(t *testing.T, p kept.Place) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		l, err := p.Get(ctx, always, unasked(t))
		if string(l.Answer) != one || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("answer %s, %v", l.Answer, err)
		}
	})
}

// TestGetMeanwhile: what is kept may do while another asks.
func TestGetMeanwhile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		age  time.Duration
		want string
	}{{"will_do", 2 * time.Hour, one}, {"too_old", 30 * time.Minute, two}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			whileAnother(t, true, func(t *testing.T, p kept.Place) {
				t.Helper()
				p.Meanwhile = func(l kept.Last) bool { return time.Since(l.At) < tt.age }
				l, err := p.Get(t.Context(), func(l kept.Last) bool { return time.Since(l.Asked) > 30*time.Minute }, unasked(t))
				if string(l.Answer) != tt.want || err != nil {
					t.Errorf("answer %s, %v", l.Answer, err)
				}
			})
		})
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	p := placeAt(t.TempDir(), testNow)
	get(t, p, always, answersOne)
	for range 2 { // the second time there is nothing
		if err := p.Forget(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(p.Dir); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
	gone := placeAt(filepath.Join(p.Dir, "missing"), testNow)
	if err := gone.Forget(); err != nil {
		t.Errorf("without a directory: %v", err)
	}
}

// TestForgetUnderWay: what is forgotten while it is asked is not kept afterwards.
func TestForgetUnderWay(t *testing.T) {
	t.Parallel()
	p := placeAt(t.TempDir(), testNow)
	_, err := p.Get(t.Context(), always, func(_ context.Context, l kept.Last) kept.Last {
		if err := p.Forget(); err != nil {
			t.Error(err)
		}
		return l.Answered(json.RawMessage(one), "")
	})
	if _, there := os.Lstat(filepath.Join(p.Dir, "source.json")); err != nil || !errors.Is(there, fs.ErrNotExist) {
		t.Errorf("Get: %v, file: %v", err, there)
	}
}

// TestOf: what is kept of one host is not that of another.
func TestOf(t *testing.T) {
	t.Parallel()
	here := placeAt(t.TempDir(), testNow)
	there := here
	here.Of, there.Of = "here.example", "there.example"
	want := get(t, here, askedLongAgo, answersOne)
	if want.Answer == nil {
		t.Fatal("no answer")
	}
	if diff := cmp.Diff(kept.Last{}, there.Read()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, here.Read()); diff != "" {
		t.Error(diff)
	}
}
