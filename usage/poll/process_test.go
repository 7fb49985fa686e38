package poll

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage/usagetest"
)

// The end of the server's process causes a fetch at once, not at the next interval.
func TestPollerSeesServerEnd(t *testing.T) {
	t.Parallel()
	const end = 95 * time.Second
	fromNew := func(ctx context.Context, n int) (Reading, error) {
		r, err := good(ctx, n)
		r.PID = 7 + n
		return r, err
	}
	gone := func(ctx context.Context, n int) (Reading, error) {
		if n > 0 {
			return dead(ctx, n)
		}
		return fromNew(ctx, n)
	}
	hanging := func(ctx context.Context, n int) (Reading, error) {
		if n > 0 {
			return slow(ctx, n)
		}
		return fromNew(ctx, n)
	}
	tests := []struct {
		name    string
		every   time.Duration
		answer  func(ctx context.Context, n int) (Reading, error)
		runs    func(pid int, after time.Duration) bool
		fetches []time.Duration
		stale   time.Duration // 0 for not within five minutes
	}{
		{
			"with_the_state_of_the_minute", 0, gone, func(_ int, after time.Duration) bool { return after < end },
			[]time.Duration{0, 120 * time.Second, 130 * time.Second, 190 * time.Second, 250 * time.Second},
			120 * time.Second,
		},
		{
			"sooner_where_somebody_looks", 10 * time.Second, gone, func(_ int, after time.Duration) bool { return after < end },
			[]time.Duration{0, 100 * time.Second, 110 * time.Second, 170 * time.Second, 230 * time.Second, 290 * time.Second},
			100 * time.Second,
		},
		{
			"another_one_answers", 10 * time.Second, fromNew, func(pid int, after time.Duration) bool { return pid != 7 || after < end },
			[]time.Duration{0, 100 * time.Second},
			0,
		},
		{
			"another_one_hangs", 10 * time.Second, hanging, func(_ int, after time.Duration) bool { return after < end },
			[]time.Duration{0, 100 * time.Second, 110 * time.Second, 170 * time.Second, 290 * time.Second},
			0,
		},
		{
			"never_seen_from_here", 10 * time.Second, fromNew, func(int, time.Duration) bool { return false },
			[]time.Duration{0},
			0,
		},
		{
			"runs_on", 10 * time.Second, fromNew, func(int, time.Duration) bool { return true },
			[]time.Duration{0},
			0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(tt.answer)
				b.products[0].servers.runs = func(pid int) bool { return tt.runs(pid, time.Since(b.start)) }
				if tt.every > 0 {
					b.products[0].servers.every = tt.every
				}
				states, cancel := b.Subscribe()
				defer b.run(t)()
				var stale []time.Duration
				done := make(chan struct{})
				go func() {
					defer close(done)
					for all := range states {
						s := all.Lead()
						if s.Snapshot.Source.Stale && len(stale) == 0 {
							stale = append(stale, s.At.Sub(usagetest.Noon))
						}
					}
				}()
				b.until(299 * time.Second)
				cancel()
				<-done
				b.fetches(t, tt.fetches...)
				var want []time.Duration
				if tt.stale > 0 {
					want = []time.Duration{tt.stale}
				}
				if diff := cmp.Diff(want, stale); diff != "" {
					t.Errorf("stale (-want +got):\n%s", diff)
				}
			})
		})
	}
}
