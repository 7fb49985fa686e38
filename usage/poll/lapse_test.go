package poll

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// lapse is a speed at which a day passes in 4.32 s.
const lapse = 20000

func TestPollerLapseCadence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// by is what the wall clock jumps by, at 1.5 s.
		by   time.Duration
		want []time.Duration
	}{
		{"steady", 0, []time.Duration{0, 1020 * time.Millisecond, 2040 * time.Millisecond, 3060 * time.Millisecond}},
		{"corrected", lapse * 20 * time.Second, []time.Duration{0, 1020 * time.Millisecond, 2040 * time.Millisecond, 3060 * time.Millisecond}},
		// The look after the jump is at 2.04 s.
		{"slept", lapse * 8 * time.Hour, []time.Duration{0, 1020 * time.Millisecond, 7040 * time.Millisecond}},
		{"set_back", -lapse * time.Hour, []time.Duration{0, 1020 * time.Millisecond, 7040 * time.Millisecond}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFastBench(lapse, time.Second, func(ctx context.Context, n int) (Reading, error) {
					time.Sleep(20 * time.Millisecond)
					return good(ctx, n)
				})
				defer b.run(t)()
				b.until(1500 * time.Millisecond)
				b.set(tt.by)
				b.until(tt.want[len(tt.want)-1] + 10*time.Millisecond)
				b.fetches(t, tt.want...)
			})
		})
	}
}

func TestPollerLapseStaleness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFastBench(lapse, time.Second, failing("good", "timeout"))
		defer b.run(t)()
		states, cancel := b.Subscribe()
		defer cancel()
		at := usagetest.Noon
		compareStates(t, State{
			At: at, Snapshot: creditsAt(t, 0, 0), Next: at.Add(lapse * time.Second),
		}, (<-states).Lead())
		for all := range states {
			s := all.Lead()
			if s.Snapshot.Source.Stale {
				break
			}
		}
		if got := time.Since(b.start); got != 2*time.Second {
			t.Errorf("stale after %v", got)
		}
	})
}

// days answers with a quota that resets daily. Like a server's clock, it knows of a
// reset when it comes, and no sooner.
func days(t *testing.T, wall func() time.Time) (Reading, error) {
	t.Helper()
	const day = 24 * time.Hour
	return daily(wall().Sub(usagetest.Noon).Truncate(day) + day)
}

func TestPollerLapseReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b *pollBench
		b = newFastBench(lapse, time.Second, func(context.Context, int) (Reading, error) { return days(t, b.wall) })
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		const day, delay = 4320 * time.Millisecond, 250 * time.Microsecond
		for all := range states {
			s := all.Lead()
			if m, ok := s.Snapshot.Meter(usage.DailyQuota); ok && m.State == usage.StateRolledOver {
				break
			}
		}
		if got := time.Since(b.start); got != day {
			t.Errorf("told of after %v", got)
		}
		b.until(10 * time.Second)
		s := func(n int) time.Duration { return time.Duration(n) * time.Second }
		b.fetches(t, 0, s(1), s(2), s(3), s(4), day+delay,
			day+delay+s(1), day+delay+s(2), day+delay+s(3), day+delay+s(4), 2*day+delay, 2*day+delay+s(1))
	})
}

// At any speed, the poller sees each reset and rests in between.
func TestPollerLapseLooksSeldom(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{3, 1440, 10080.5, 44640.123, 1e6} {
		synctest.Test(t, func(t *testing.T) {
			var b *pollBench
			var looks atomic.Int64
			wall := func() time.Time { looks.Add(1); return b.wall() }
			b = newFastBench(speed, time.Second, func(context.Context, int) (Reading, error) { return days(t, b.wall) })
			b.clock.now = wall
			states, cancel := b.Subscribe()
			defer cancel()
			var late int
			go func() {
				for all := range states {
					s := all.Lead()
					if m, ok := s.Snapshot.Meter(usage.DailyQuota); ok && m.State == usage.StateRolledOver && s.At.Sub(m.Window.End) > 24*time.Hour {
						late++
					}
				}
			}()
			stop := b.run(t)
			b.until(time.Minute)
			stop()
			synctest.Wait()
			resets := time.Minute.Seconds() * speed / (24 * time.Hour).Seconds()
			// At each fetch there are looks at its begin, at its answer and after it;
			// a reset adds one, and has a fetch of its own.
			if most := int64(4 * (62 + 2*min(resets, 61))); looks.Load() > most {
				t.Errorf("speed %v: %d looks, want %d at most", speed, looks.Load(), most)
			}
			if speed <= 24*60*60 && late > 0 {
				t.Errorf("speed %v: %d resets are seen more than a day late", speed, late)
			}
		})
	}
}
