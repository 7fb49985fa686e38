package poll

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage/usagetest"
)

func TestPollerWake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// by is what the wall clock jumps by, 90 s after the start.
		by   time.Duration
		want []time.Duration
	}{
		// The look after the jump is at 120 s.
		{"sleep", 8 * time.Hour, []time.Duration{0, 125 * time.Second, 425 * time.Second}},
		{"set_forward", time.Hour, []time.Duration{0, 125 * time.Second, 425 * time.Second}},
		{"set_back", -time.Hour, []time.Duration{0, 125 * time.Second, 425 * time.Second}},
		{"set_back_by_an_age", -100 * 365 * 24 * time.Hour, []time.Duration{0, 125 * time.Second, 425 * time.Second}},
		{"corrected_forward", 20 * time.Second, []time.Duration{0, 300 * time.Second}},
		{"corrected_back", -20 * time.Second, []time.Duration{0, 300 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(good)
				defer b.run(t)()
				b.until(90 * time.Second)
				b.set(tt.by)
				b.until(8 * time.Minute)
				b.fetches(t, tt.want...)
			})
		})
	}
}

func TestPollerWakeForthAndBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		b.until(90 * time.Second)
		b.set(time.Hour)
		b.until(130 * time.Second)
		b.set(-time.Hour)
		b.until(4 * time.Minute)
		b.fetches(t, 0, 125*time.Second, 190*time.Second)
		if at := b.now().At; !at.Equal(usagetest.Noon.Add(4 * time.Minute)) {
			t.Errorf("state of %v", at)
		}
	})
}

func TestPollerWakeBeginsBackOffAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(slow)
		defer b.run(t)()
		b.until(8 * time.Minute) // failed at 0:00, 0:10, 1:10, 3:10 and 7:10
		b.set(8 * time.Hour)
		b.until(10 * time.Minute)
		b.fetches(t, 0, 10*time.Second, 70*time.Second, 190*time.Second, 430*time.Second,
			495*time.Second, 505*time.Second, 565*time.Second)
	})
}

func TestPollerWakeRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The reset passes and the next fetch is due in sleep, and a prompt's
		// just after it.
		b := newBench(func(_ context.Context, n int) (Reading, error) {
			return daily([]time.Duration{time.Hour, 48 * time.Hour}[min(n, 1)])
		})
		defer b.run(t)()
		b.until(275 * time.Second)
		b.PromptEnded() // also a look
		b.until(299 * time.Second)
		b.set(8 * time.Hour)
		b.until(302 * time.Second)
		b.fetches(t, 0)
		b.until(9 * time.Minute)
		b.fetches(t, 0, 305*time.Second)
	})
}

func TestPollerRefreshSeesWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		b.until(90 * time.Second)
		b.set(8 * time.Hour)
		if wait := b.Refresh(); wait != 0 {
			t.Errorf("wait %v", wait)
		}
		b.until(5 * time.Minute)
		b.fetches(t, 0, 90*time.Second)
	})
}

func TestPollerWakeInMidFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			if n == 0 {
				time.Sleep(70 * time.Second)
				return dead(ctx, n)
			}
			return good(ctx, n)
		})
		defer b.run(t)()
		b.until(30 * time.Second)
		b.set(8 * time.Hour)
		b.until(9 * time.Minute)
		// Seen at 1:00; the fetch ends at 1:10, and the one after it begins at once.
		b.fetches(t, 0, 70*time.Second, 370*time.Second)
	})
}

func TestPollerSubscribeSeesWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		b.until(90 * time.Second)
		b.set(8 * time.Hour)
		wake := usagetest.Noon.Add(8*time.Hour + 90*time.Second)
		compareStates(t, State{
			At: wake, Snapshot: creditsAt(t, 0, 8*time.Hour+90*time.Second), Next: wake.Add(5 * time.Second),
		}, b.now())
		b.until(3 * time.Minute)
		b.fetches(t, 0, 95*time.Second)
	})
}

// A wall time with a monotonic part would be compared by that part.
func TestClockShowsWallTime(t *testing.T) {
	t.Parallel()
	c := newClock(time.Now, 1)
	c.look()
	if c.wall != c.wall.Round(0) {
		t.Errorf("%v has a monotonic part", c.wall)
	}
}

func TestClockFarFuture(t *testing.T) {
	t.Parallel()
	c := newClock(time.Now, 1)
	c.awake = time.Hour
	if got := c.awakeAt(c.wall.AddDate(1000, 0, 0)); got != never {
		t.Errorf("in a thousand years is after %v", got)
	}
	if got := c.wallAt(never); !got.IsZero() {
		t.Errorf("never is %v", got)
	}
}

// On Windows both clocks go on in sleep, and the look comes late.
func TestClockLateLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now, 1)
		c.alarm = time.Minute
		time.Sleep(time.Minute + 10*time.Second)
		if c.look() {
			t.Error("ten seconds late is taken for a sleep")
		}
		c.alarm = c.mono + time.Minute
		time.Sleep(8 * time.Hour)
		if !c.look() {
			t.Error("a sleep is not seen")
		}
		if c.look() {
			t.Error("a sleep is seen twice")
		}
		if want := 2*time.Minute + 10*time.Second; c.awake != want {
			t.Errorf("awake for %v, want %v", c.awake, want)
		}
	})
}
