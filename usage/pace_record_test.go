package usage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// notebook is a Record that keeps what it was told.
type notebook struct {
	kept History
	// asked is called each time.
	asked func()
}

func (n *notebook) record(_ context.Context, s Snapshot) History {
	before, after := n.kept, History{}
	for _, m := range s.Meters {
		after[m.ID] = append(slices.Clip(before[m.ID]),
			Sample{At: s.Source.FetchedAt, Used: m.Used, End: m.Window.End})
	}
	n.kept = after
	if n.asked != nil {
		n.asked()
	}
	return before
}

// weekAnswer is a week's quota that ends four days after noon.
func weekAnswer(left int) Reading {
	return Reading{Raw: fmt.Appendf(nil, `{"planStatus":{"weeklyQuotaRemainingPercent":%d,"weeklyQuotaResetAtUnix":%d}}`,
		left, noon.Add(4*day).Unix())}
}

func TestPollerRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		b := newBench(func(_ context.Context, fetch int) (Reading, error) {
			if fetch == 1 {
				return Reading{}, deadServerError{}
			}
			return weekAnswer(60 - fetch), nil
		})
		b.record = n.record
		n.asked = func() { b.now() } // which waits for the poller's lock
		defer b.run(t)()
		b.until(6 * time.Minute)
		want := History{WeeklyQuota: {
			{At: noon, Used: amount(40), End: noon.Add(4 * day)},
			{At: noon.Add(310 * time.Second), Used: amount(42), End: noon.Add(4 * day)},
		}}
		if diff := cmp.Diff(want, n.kept); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		m, _ := b.now().Snapshot.Meter(WeeklyQuota)
		s := Snapshot{Source: Source{FetchedAt: noon.Add(310 * time.Second)}, Meters: []Meter{m}}
		if diff := cmp.Diff(s.WithPace(n.kept, PaceOptions{}).Meters[0].Pace, m.Pace); diff != "" || m.Pace == nil {
			t.Errorf("pace (-want +got):\n%s", diff)
		}
	})
}

func TestPollerWithoutTimeRecordsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		b := newBench(func(context.Context, int) (Reading, error) {
			return Reading{Raw: []byte(`{"quotaUsage":{"weeklyRemainingPercent":60,"weeklyResetAtUnix":1770458400}}`)}, nil
		})
		b.record = n.record
		defer b.run(t)()
		b.until(time.Minute)
		if m, ok := b.now().Snapshot.Meter(WeeklyQuota); n.kept != nil || !ok || m.Pace != nil {
			t.Errorf("recorded %v, meter %+v", n.kept, m)
		}
	})
}

func TestPollerConfigurePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(context.Context, int) (Reading, error) { return weekAnswer(60), nil })
		b.record = func(_ context.Context, s Snapshot) History {
			return seen(s.Meters[0], 24, 30, 36, 35)
		}
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		b.until(time.Minute)
		<-states
		worked := PaceOptions{WorkDays: officeDays, Location: zone(t, "America/New_York")}
		for _, o := range []PaceOptions{worked, {}, {WorkDays: officeDays}} {
			b.Configure(PollerSettings{Pace: o})
			got, _ := (<-states).Snapshot.Meter(WeeklyQuota)
			want := paceOf(noon, seen(got, 24, 30, 36, 35), o, got)
			if diff := cmp.Diff(want, got.Pace); diff != "" || got.Pace.Basis != BasisBoth {
				t.Errorf("%+v (-want +got):\n%s", o, diff)
			}
		}
		synctest.Wait()
		<-states
		b.Configure(PollerSettings{Pace: PaceOptions{WorkDays: officeDays}})
		synctest.Wait()
		select {
		case s := <-states:
			t.Errorf("nothing has changed, and a state comes: %+v", s)
		default:
		}
		b.fetches(t, 0)
	})
}

func TestPollerForgetsHistoryOfAnotherVariant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(_ context.Context, n int) (Reading, error) {
			if n > 0 {
				return Reading{}, deadServerError{}
			}
			return weekAnswer(60), nil
		})
		b.record = func(_ context.Context, s Snapshot) History { return seen(s.Meters[0], 24, 30) }
		defer b.run(t)()
		b.until(time.Minute)
		b.Configure(PollerSettings{Variant: "windsurf-next", Pace: PaceOptions{WorkDays: officeDays}})
		if b.history != nil || b.now().HasFigures() {
			t.Errorf("history %v", b.history)
		}
	})
}

func TestStatusRecords(t *testing.T) {
	t.Parallel()
	reading := weekAnswer(60)
	tests := []struct {
		name      string
		args      []string
		recorded  bool
		wantBasis string
	}{
		{"live", []string{"--json"}, true, "both"},
		{"pinned", []string{"--json", "--at", "2026-02-03T10:00:00Z"}, false, "average"},
		{"file", []string{"--json", "--from", "-", "--at", "2026-02-03T10:00:00Z"}, false, "average"},
		{"file_without_time", []string{"--json", "--from", "-"}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			recorded := false
			c := &statusCommand{fetch: fetchOf(reading), record: func(_ context.Context, s Snapshot) History {
				recorded = true
				return seen(s.Meters[0], 24, 30, 36, 35)
			}}
			out, err := runStatus(t, c, bytes.NewReader(reading.Raw), tt.args...)
			if err != nil {
				t.Fatal(err)
			}
			if got := gjson.Get(out, "meters.0.pace.basis").String(); got != tt.wantBasis || recorded != tt.recorded {
				t.Errorf("recorded %v, by %q, in %s", recorded, got, out)
			}
		})
	}
}

func TestStatusWorkDays(t *testing.T) {
	t.Parallel()
	c := &statusCommand{
		fetch:    fetchOf(weekAnswer(60)),
		settings: func() (Config, error) { return Config{WorkDays: []string{"mon", "tue"}}, nil },
	}
	out, err := runStatus(t, c, nil, "--json")
	if err != nil {
		t.Fatal(err)
	}
	// The week began on Saturday 10:00. Monday and ten hours of Tuesday are over,
	// of two days.
	if got := gjson.Get(out, "meters.0.pace.elapsed_percent").Float(); got != 70.8 {
		t.Errorf("%v %% of the work is over", got)
	}
}

// A line is printed for what is new, and not because time passes.
func TestWatchLinesOfPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		start := time.Now()
		// Of the figure of 43 per cent, the verdict changes after some hours.
		err := watch(t, 30*time.Hour, &out, func(time.Duration) (Reading, error) { return weekAnswer(57), nil }, "--interval", "1h")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Hour {
			t.Fatalf("error %v after %v", err, time.Since(start))
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			p := gjson.Get(line, "meters.0.pace")
			got = append(got, p.Get("verdict").String()+" "+p.Get("confidence").String())
			if p.Get("elapsed_percent").Float() == 0 || p.Get("projected_percent").Float() == 0 {
				t.Errorf("no figures in %s", line)
			}
		}
		want := []string{"tight early", "tight established", "on_course early", "on_course established"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, out.String())
		}
	})
}

func TestPaceStaysUntilTheReset(t *testing.T) {
	t.Parallel()
	s, err := Decode(weekAnswer(60).Raw, Source{FetchedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	s = s.WithPace(nil, PaceOptions{})
	want := s.Meters[0].Pace
	for _, at := range []time.Time{noon, noon.Add(4*day - 1), noon.Add(-day)} {
		if got := s.At(at).Meters[0].Pace; want == nil || got != want {
			t.Errorf("at %v: %+v", at, got)
		}
	}
	if m := s.At(noon.Add(4 * day)).Meters[0]; m.Pace != nil || m.State != StateRolledOver {
		t.Errorf("after the reset: %+v", m)
	}
	if got := s.At(noon.Add(4*day)).WithPace(nil, PaceOptions{}).At(noon).Meters[0].Pace; !cmp.Equal(got, want) {
		t.Errorf("back again: %+v", got)
	}
}
