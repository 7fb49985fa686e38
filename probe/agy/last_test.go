package agy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/kept"
	"windsock/probe/say"
)

var testNow = time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)

// report is an answer with that share left, as it is kept.
func report(left string) string {
	return `{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[{"id":"gemini-5h","remaining_fraction":` + left + `}]}]}}}`
}

// keepRun keeps an answer with that share left, as if agy had been run at that time.
func keepRun(t *testing.T, d Dirs, at time.Time, left string) {
	t.Helper()
	always := func(kept.Last) bool { return true }
	_, err := d.runs(at).Get(t.Context(), always, func(_ context.Context, l kept.Last) kept.Last {
		return l.Answered([]byte(report(left)), "")
	})
	if err != nil {
		t.Fatal(err)
	}
}

// agyRuns counts the runs of the fake agy from now on.
func agyRuns(t *testing.T) func() int {
	t.Helper()
	list := filepath.Join(t.TempDir(), "runs")
	t.Setenv("AGY_RUNS", list)
	return func() int {
		text, err := os.ReadFile(list)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("\n"))
	}
}

// TestUsageIsKept: agy is run once in five minutes, whether or not it answers.
func TestUsageIsKept(t *testing.T) {
	const every = 5 * time.Minute
	// got is what one call returns, at a time in minutes.
	type got struct {
		Left string
		At   int
		Code string
		Runs int
	}
	type step struct {
		at   int    // minutes
		how  string // the fake agy
		want got
	}
	const fails = "01 no"
	is := func(left string) string { return "0 " + report(left) }
	tests := []struct {
		name  string
		steps []step
	}{
		{"answer", []step{
			{0, is("0.5"), got{"0.5", 0, "", 1}},
			{4, is("0.4"), got{"0.5", 0, "", 1}},
			{5, is("0.4"), got{"0.4", 5, "", 2}},
			{9, is("0.3"), got{"0.4", 5, "", 2}},
		}},
		{"failure", []step{
			{0, fails, got{"", 0, "bad_response", 1}},
			{1, is("0.5"), got{"", 0, "bad_response", 1}},
			{5, is("0.5"), got{"0.5", 5, "", 2}},
		}},
		{"failure_after_an_answer", []step{
			{0, is("0.5"), got{"0.5", 0, "", 1}},
			{6, fails, got{"0.5", 0, "bad_response", 2}},
			{10, is("0.4"), got{"0.5", 0, "bad_response", 2}},
			{11, is("0.4"), got{"0.4", 11, "", 3}},
		}},
		{"clock_set_back", []step{
			{60, is("0.5"), got{"0.5", 60, "", 1}},
			{0, is("0.4"), got{"0.4", 0, "", 2}},
			{1, is("0.3"), got{"0.4", 0, "", 2}},
		}},
		{"clock_set_back_after_a_failure", []step{
			{60, fails, got{"", 0, "bad_response", 1}},
			{0, is("0.4"), got{"0.4", 0, "", 2}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runs := agyRuns(t)
			d := Dirs{State: filepath.Join(t.TempDir(), "state")}
			for i, s := range tt.steps {
				useAgy(t, s.how)
				now := testNow.Add(time.Duration(s.at) * time.Minute)
				raw, at, err := d.Usage(t.Context(), now, every)
				seen := got{Code: say.Code(err), Runs: runs()}
				if raw != nil {
					seen.Left = leftOf(t, raw)
					seen.At = int(at.Sub(testNow).Minutes())
				}
				if diff := cmp.Diff(s.want, seen); diff != "" {
					t.Fatalf("step %d, %v:\n%s", i, err, diff)
				}
				if last, lastAt := d.LastUsage(now); string(last) != string(raw) || !lastAt.Equal(at) {
					t.Errorf("step %d: the last is %s of %v", i, last, lastAt)
				}
			}
		})
	}
}

func leftOf(t *testing.T, raw []byte) string {
	t.Helper()
	var answer usageAnswer[usageBucket]
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return string(answer.Command.Data.Groups[0].Buckets[0].RemainingFraction)
}

// TestUsageOfTen: of ten at once one runs agy, and all have its answer, or where there is
// one already, that.
func TestUsageOfTen(t *testing.T) {
	tests := []struct {
		name   string
		before string // the answer of six minutes ago
	}{{"first", ""}, {"later", "0.5"}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Dirs{State: t.TempDir()}
			if tt.before != "" {
				keepRun(t, d, testNow, tt.before)
			}
			runs := agyRuns(t)
			useAgy(t, "0 "+report("0.4"))
			seen := make([]string, 10)
			var all sync.WaitGroup
			for i := range seen {
				all.Go(func() {
					raw, _, err := d.Usage(t.Context(), testNow.Add(6*time.Minute), 5*time.Minute)
					seen[i] = fmt.Sprint(string(raw), err)
				})
			}
			all.Wait()
			for _, s := range seen {
				if s != report("0.4")+"<nil>" && (tt.before == "" || s != report(tt.before)+"<nil>") {
					t.Errorf("got %s", s)
				}
			}
			if n := runs(); n != 1 {
				t.Errorf("%d runs", n)
			}
		})
	}
}

// TestUsageBesideAnother: while another process runs agy, an answer of the interval before
// will do; otherwise it is waited for.
func TestUsageBesideAnother(t *testing.T) {
	runs := agyRuns(t)
	useAgy(t, "0 "+report("0.4"))
	d := Dirs{State: t.TempDir()}
	keepRun(t, d, testNow, "0.5")
	asks, ends := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	defer other.Wait()
	defer close(ends)
	other.Go(func() {
		always := func(kept.Last) bool { return true }
		_, _ = d.runs(testNow.Add(8*time.Minute)).Get(t.Context(), always, func(_ context.Context, l kept.Last) kept.Last {
			close(asks)
			<-ends
			return l
		})
	})
	<-asks
	tests := []struct {
		name  string
		after time.Duration
		code  string
	}{{"within_two_intervals", 9 * time.Minute, ""}, {"later", 10 * time.Minute, codeTimeout}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			raw, at, err := d.Usage(ctx, testNow.Add(tt.after), 5*time.Minute)
			if string(raw) != report("0.5") || !at.Equal(testNow) || say.Code(err) != tt.code || runs() != 0 {
				t.Errorf("%s of %v, %v, %d runs", raw, at, err, runs())
			}
		})
	}
}

// TestUsageCutOff: a run counts from its beginning, since its process may be ended.
func TestUsageCutOff(t *testing.T) {
	runs := agyRuns(t)
	useAgy(t, "hang")
	d := Dirs{State: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		for ctx.Err() == nil && runs() == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if diff := cmp.Diff(kept.Last{Asked: testNow}, d.lastRun(testNow)); diff != "" {
			t.Error(diff)
		}
	}()
	if _, _, err := d.Usage(ctx, testNow, 5*time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, _, err := d.Usage(t.Context(), testNow.Add(time.Minute), 5*time.Minute); say.Code(err) != codeTimeout || runs() != 1 {
		t.Errorf("error %v, %d runs", err, runs())
	}
}

// TestUsageUnnoted: where a run cannot be noted, there is none.
func TestUsageUnnoted(t *testing.T) {
	runs := agyRuns(t)
	useAgy(t, "0 "+report("0.4"))
	state := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	raw, _, err := Dirs{State: state}.Usage(t.Context(), testNow, 5*time.Minute)
	if raw != nil || say.Code(err) != codeBadResponse || runs() != 0 {
		t.Errorf("got %s, %v, %d runs", raw, err, runs())
	}
}

func TestReduceUsage(t *testing.T) {
	t.Parallel()
	of := func(buckets string) string {
		return `{"conversation_id":"secret","status":"SUCCESS","response":"secret","command":{"name":"usage","data":{"email":"secret","groups":[{"name":"secret","buckets":[` + buckets + `]}]}}}`
	}
	tests := []struct{ name, buckets, want string }{
		{
			"whole", `{"id":"a-5h","name":"A","window":"5h","remaining_fraction":0.5,"reset_time":"2026-01-02T03:04:05+01:00","description":"secret","extra":{"a":"secret"}}`,
			`{"id":"a-5h","name":"A","window":"5h","remaining_fraction":0.5,"reset_time":"2026-01-02T02:04:05Z"}`,
		},
		{"least", `{"id":"a"},{"id":"b","remaining_fraction":null}`, `{"id":"a"},{"id":"b","remaining_fraction":null}`},
		{"wrong_types", `{"id":"a","name":1,"window":"secret path/","remaining_fraction":"secret","reset_time":"secret"}`, `{"id":"a","remaining_fraction":null}`},
		{"no_id", `{"name":"secret"},{"id":"secret@example.org"},null,{"id":"a"}`, `{"id":"a"}`},
		{"disabled", `{"id":"a","disabled":true},{"id":"b","disabled":false}`, `{"id":"b"}`},
		{"long_name", `{"id":"a","name":"` + strings.Repeat("secret", 20) + `"}`, `{"id":"a"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := reduceUsage([]byte(of(tt.buckets)))
			want := `{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[` + tt.want + `]}]}}}`
			if diff := cmp.Diff(want, string(got)); diff != "" || !ok {
				t.Errorf("%t\n%s", ok, diff)
			}
		})
	}
}

func FuzzReduceUsage(f *testing.F) {
	f.Add(report("0.5"))
	f.Add(`{"status":"SUCCESS","command":{"data":{"groups":[null,{"buckets":[{"id":"a","name":"\u001b[1m\ud800 b","remaining_fraction":1e400,"reset_time":"0001-01-01T00:00:00Z"}]}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		kept, ok := reduceUsage([]byte(text))
		if !ok {
			return
		}
		again, ok := reduceUsage(kept)
		if string(again) != string(kept) || !ok || len(kept) > maxPayload/2 {
			t.Errorf("%q keeps %s, and of that %s", text, kept, again)
		}
	})
}
