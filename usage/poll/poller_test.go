package poll

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestPollerCadence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		random float64
		want   []time.Duration
	}{
		{"shortest", 0, []time.Duration{0, 270 * time.Second, 540 * time.Second}},
		{"middle", 0.5, []time.Duration{0, 300 * time.Second, 600 * time.Second}},
		{"longest", 1, []time.Duration{0, 330 * time.Second, 660 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(good)
				b.products[0].schedule.random = func() float64 { return tt.random }
				defer b.run(t)()
				b.until(12 * time.Minute)
				b.fetches(t, tt.want...)
			})
		})
	}
}

func TestPollerJitterVaries(t *testing.T) {
	t.Parallel()
	s := New(Config{}).products[0].schedule
	seen := map[time.Duration]bool{}
	for range 100 {
		d := s.jittered()
		seen[d] = true
		if d < 270*time.Second || d > 330*time.Second {
			t.Errorf("interval of %v", d)
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d intervals of 100 differ", len(seen))
	}
}

func TestPollerIntervalBounds(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]time.Duration{
		0: DefaultInterval, time.Second: time.Second, time.Millisecond: time.Second, -time.Hour: time.Second,
		time.Minute: time.Minute, 2 * time.Hour: MaxInterval,
	} {
		if got := New(Config{Settings: Settings{Interval: interval}}).products[0].schedule.interval; got != want {
			t.Errorf("interval %v: got %v, want %v", interval, got, want)
		}
	}
}

func TestPollerRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		steps := []struct{ at, want time.Duration }{
			{2 * time.Second, 3 * time.Second},
			{5 * time.Second, 0},
			{5 * time.Second, 5 * time.Second},
			{9 * time.Second, time.Second},
			{100 * time.Second, 0},
		}
		for _, step := range steps {
			b.until(step.at)
			if got := b.Refresh(); got != step.want {
				t.Errorf("after %v: wait %v, want %v", step.at, got, step.want)
			}
			synctest.Wait()
		}
		b.until(10 * time.Minute)
		b.fetches(t, 0, 5*time.Second, 100*time.Second, 400*time.Second)
	})
}

func TestPollerPromptEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		b.until(time.Minute)
		b.PromptEnded()
		b.until(80 * time.Second)
		b.PromptEnded()
		b.until(6 * time.Minute)
		b.fetches(t, 0, 110*time.Second)
	})
}

// Prompts cost nothing of another product's plan.
func TestPromptEndedAsksWindsurf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked := map[usage.Product]int{}
		p := plansBench(t, nil, Config{Fetch: func(_ context.Context, ask Ask) []Reading {
			mu.Lock()
			defer mu.Unlock()
			asked[ask.Products[0]]++
			return nil
		}})
		time.Sleep(time.Minute)
		p.PromptEnded()
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff(map[usage.Product]int{usage.Windsurf: 2, usage.Antigravity: 1, usage.Cursor: 1}, asked); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestPollerPromptOutlastsOtherFetches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		b.until(time.Minute)
		b.PromptEnded()
		b.until(70 * time.Second)
		b.Refresh()
		b.until(6 * time.Minute)
		b.fetches(t, 0, 70*time.Second, 90*time.Second)
	})
}

func TestPollerOneFetchAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			if n == 0 {
				time.Sleep(20 * time.Minute)
			}
			return good(ctx, n)
		})
		defer b.run(t)()
		for _, after := range []time.Duration{2 * time.Second, time.Minute} {
			b.until(after)
			if wait := b.Refresh(); wait != 0 {
				t.Errorf("a refresh has to wait %v for the fetch that is under way", wait)
			}
		}
		b.PromptEnded()
		b.until(19 * time.Minute)
		b.fetches(t, 0)
		// The refresh has been served; the prompt came after the fetch began.
		b.until(24 * time.Minute)
		b.fetches(t, 0, 20*time.Minute)
	})
}

func TestPollerRefreshInMidFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			time.Sleep(10 * time.Second)
			return good(ctx, n)
		})
		defer b.run(t)()
		b.until(7 * time.Second)
		if wait := b.Refresh(); wait != 0 {
			t.Errorf("wait %v", wait)
		}
		b.until(5 * time.Minute)
		b.fetches(t, 0)
	})
}

func TestPollerEndsInMidFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, _ int) (Reading, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // closing a connection takes a moment
			return Reading{}, ctx.Err()
		})
		states, _ := b.Subscribe()
		stop := b.run(t)
		b.until(10 * time.Second)
		stop()
		if took := time.Since(b.start); took != 11*time.Second {
			t.Errorf("ended after %v, not when the fetch had", took)
		}
		var last State
		for all := range states {
			last = all.Lead()
			continue
		}
		at := usagetest.Noon.Add(11 * time.Second)
		compareStates(t, State{At: at, Snapshot: nothing(usage.Windsurf).At(at)}, last)
	})
}

func TestPollerRunsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		b.run(t)()
		if err := b.Run(t.Context()); err == nil {
			t.Error("a second Run is no error")
		}
		b.Refresh()
		b.PromptEnded()
		b.until(10 * time.Minute)
		b.fetches(t, 0)
	})
}

func TestPollerBeforeItRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		b.until(time.Minute)
		if got, want := b.now().Next, usagetest.Noon.Add(time.Minute); !got.Equal(want) {
			t.Errorf("next fetch is due at %v, want %v", got, want)
		}
		if wait := b.Refresh(); wait != 0 {
			t.Errorf("wait %v", wait)
		}
		defer b.run(t)()
		b.until(2 * time.Minute)
		b.fetches(t, time.Minute)
	})
}
