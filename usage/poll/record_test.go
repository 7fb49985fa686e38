package poll

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// notebook is a Record that keeps its snapshots.
type notebook struct {
	kept pace.History
	// asked is called each time.
	asked func()
}

func (n *notebook) record(_ context.Context, s usage.Snapshot) pace.History {
	before, after := n.kept, pace.History{}
	for _, m := range s.Meters {
		after[m.ID] = pace.Seen{Samples: append(slices.Clip(before[m.ID].Samples), pace.Sample{At: s.Source.FetchedAt, Used: m.Used, Total: m.Total})}
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
		left, usagetest.Noon.Add(4*usagetest.Day).Unix())}
}

// earlier are samples of a meter, as pairs of hours since the window began and use.
func earlier(m usage.Meter, pairs ...float64) pace.History {
	var samples []pace.Sample
	for i := 0; i < len(pairs); i += 2 {
		at := m.Window.Start.Add(time.Duration(pairs[i] * float64(time.Hour)))
		samples = append(samples, pace.Sample{At: at, Used: usagetest.AmountOf(pairs[i+1]), Total: m.Total})
	}
	return pace.History{m.ID: {Samples: samples, Past: []pace.Window{{
		Window: usage.Window{Start: m.Window.Start.AddDate(0, 0, -7), End: m.Window.Start}, Used: usagetest.AmountOf(80), Total: m.Total,
	}}}}
}

func TestPollerRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		b := newBench(func(_ context.Context, fetch int) (Reading, error) {
			if fetch == 1 {
				return Reading{}, usagetest.ErrNotRunning
			}
			return weekAnswer(60 - fetch), nil
		})
		b.record = n.record
		n.asked = func() { b.now() } // which waits for the poller's lock
		defer b.run(t)()
		b.until(6 * time.Minute)
		want := pace.History{usage.WeeklyQuota: {Samples: []pace.Sample{
			{At: usagetest.Noon, Used: usagetest.AmountOf(40), Total: usagetest.AmountOf(100)},
			{At: usagetest.Noon.Add(310 * time.Second), Used: usagetest.AmountOf(42), Total: usagetest.AmountOf(100)},
		}}}
		if diff := cmp.Diff(want, n.kept); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		m, _ := b.now().Snapshot.Meter(usage.WeeklyQuota)
		s := usage.Snapshot{Source: usage.Source{FetchedAt: usagetest.Noon.Add(310 * time.Second)}, Meters: []usage.Meter{m}}
		if diff := cmp.Diff(pace.Judge(s, n.kept, pace.Options{}).Meters[0].Pace, m.Pace); diff != "" || m.Pace == nil {
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
		if m, ok := b.now().Snapshot.Meter(usage.WeeklyQuota); n.kept != nil || !ok || m.Pace != nil {
			t.Errorf("recorded %v, meter %+v", n.kept, m)
		}
	})
}

func TestConfigurePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(context.Context, int) (Reading, error) { return weekAnswer(60), nil })
		b.record = func(_ context.Context, s usage.Snapshot) pace.History {
			return earlier(s.Meters[0], 24, 30, 36, 35)
		}
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		b.until(time.Minute)
		<-states
		worked := pace.Options{WorkDays: usagetest.OfficeDays, Location: usagetest.Zone(t, "America/New_York")}
		for _, o := range []pace.Options{worked, {}, {WorkDays: usagetest.OfficeDays}} {
			b.Configure(Settings{Pace: o})
			got, _ := (<-states).Lead().Snapshot.Meter(usage.WeeklyQuota)
			want := pace.Judge(usage.Snapshot{Source: usage.Source{FetchedAt: usagetest.Noon}, Meters: []usage.Meter{got}}, earlier(got, 24, 30, 36, 35), o).Meters[0].Pace
			if diff := cmp.Diff(want, got.Pace); diff != "" || got.Pace.Basis != usage.BasisHistory {
				t.Errorf("%+v (-want +got):\n%s", o, diff)
			}
		}
		synctest.Wait()
		<-states
		b.Configure(Settings{Pace: pace.Options{WorkDays: usagetest.OfficeDays}})
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
				return Reading{}, usagetest.ErrNotRunning
			}
			return weekAnswer(60), nil
		})
		b.record = func(_ context.Context, s usage.Snapshot) pace.History { return earlier(s.Meters[0], 24, 30) }
		defer b.run(t)()
		b.until(time.Minute)
		b.Configure(Settings{Variant: "windsurf-next", Pace: pace.Options{WorkDays: usagetest.OfficeDays}})
		if got := b.products[0].plans; got != nil || b.now().HasFigures() {
			t.Errorf("still known: %v", got)
		}
	})
}
