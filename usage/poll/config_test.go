package poll

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestConfigureInterval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		answer   func(context.Context, int) (Reading, error)
		at       time.Duration
		interval time.Duration
		until    time.Duration
		want     []time.Duration
	}{
		{"shorter", good, 90 * time.Second, 2 * time.Minute, 5 * time.Minute, []time.Duration{0, 120 * time.Second, 240 * time.Second}},
		{"shorter_and_over", good, 4 * time.Minute, time.Minute, 310 * time.Second, []time.Duration{0, 240 * time.Second, 300 * time.Second}},
		{"longer", good, 90 * time.Second, 10 * time.Minute, 21 * time.Minute, []time.Duration{0, 600 * time.Second, 1200 * time.Second}},
		{"the_default", good, 90 * time.Second, 0, 6 * time.Minute, []time.Duration{0, 300 * time.Second}},
		{"too_short", good, 90 * time.Second, time.Millisecond, 92 * time.Second, []time.Duration{0, 90 * time.Second, 91 * time.Second, 92 * time.Second}},
		{"while_failing", slow, 200 * time.Second, time.Minute, 8 * time.Minute, []time.Duration{
			0, 10 * time.Second, 70 * time.Second, 190 * time.Second, 430 * time.Second,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(tt.answer)
				defer b.run(t)()
				b.until(tt.at)
				b.Configure(Settings{Interval: tt.interval})
				b.until(tt.until)
				b.fetches(t, tt.want...)
			})
		})
	}
}

func TestConfigureAfterWake(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"", "windsurf-next"} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(good)
			defer b.run(t)()
			b.until(90 * time.Second)
			b.set(8 * time.Hour)
			b.until(121 * time.Second) // seen at 2:00
			b.Configure(Settings{Interval: 20 * time.Minute, Variant: variant})
			b.until(10 * time.Minute)
			b.fetches(t, 0, 125*time.Second)
			b.asked(t, "", variant)
		})
	}
}

func TestConfigureStaleness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(failing("good", "timeout"))
		defer b.run(t)()
		b.until(6 * time.Minute)
		for _, step := range []struct {
			interval time.Duration
			want     bool
		}{{0, false}, {3 * time.Minute, true}, {4 * time.Minute, false}, {time.Minute, true}} {
			b.Configure(Settings{Interval: step.interval})
			if got := b.now().Snapshot.Source.Stale; got != step.want {
				t.Errorf("interval %v: stale is %v", step.interval, got)
			}
		}
		b.Configure(Settings{Interval: 4 * time.Minute})
		b.until(8*time.Minute - time.Second)
		if b.now().Snapshot.Source.Stale {
			t.Error("stale too early")
		}
		b.until(8 * time.Minute)
		if !b.now().Snapshot.Source.Stale {
			t.Error("not stale")
		}
	})
}

func TestConfigureSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		defer b.run(t)()
		states, cancel := b.Subscribe()
		defer cancel()
		<-states
		b.until(30 * time.Second)
		b.Configure(Settings{Interval: DefaultInterval})
		b.Configure(Settings{})
		synctest.Wait()
		select {
		case s := <-states:
			t.Errorf("a state comes: %+v", s)
		default:
		}
		b.until(6 * time.Minute)
		b.fetches(t, 0, 300*time.Second)
	})
}

func TestConfigureVariant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The figures come after a second each time, and once do not.
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			time.Sleep(time.Second)
			return failing("good", "timeout", "good")(ctx, n)
		})
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		b.until(303 * time.Second) // with figures, and with the error of 5:02
		b.Configure(Settings{Variant: "windsurf-next"})
		at := usagetest.Noon.Add(303 * time.Second)
		compareStates(t, State{At: at, Snapshot: nothing(usage.Windsurf).At(at), Next: at}, (<-states).Lead())
		b.until(304 * time.Second)
		compareStates(t, State{
			At: at.Add(time.Second), Snapshot: creditsAt(t, 304*time.Second, 304*time.Second),
			Next: at.Add(301 * time.Second),
		}, b.now())
		b.fetches(t, 0, 301*time.Second, 303*time.Second)
		b.asked(t, "", "", "windsurf-next")
	})
}

func TestConfigureInMidFetch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		patient  bool // the fetch heeds its context
		variants []string
		// begun is when the new one is asked.
		begun time.Duration
		want  []string
	}{
		{"given_up", true, []string{"windsurf-next"}, 4 * time.Second, []string{"windsurf", "windsurf-next"}},
		{"goes_on_to_its_end", false, []string{"windsurf-next"}, 10 * time.Second, []string{"windsurf", "windsurf-next"}},
		{"forth_and_back", false, []string{"windsurf-next", "windsurf"}, 10 * time.Second, []string{"windsurf", "windsurf"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(func(ctx context.Context, n int) (Reading, error) {
					if n > 0 {
						time.Sleep(time.Second)
						return failing("timeout")(ctx, n)
					}
					if tt.patient {
						<-ctx.Done()
						return Reading{}, ctx.Err()
					}
					time.Sleep(10 * time.Second)
					return good(ctx, n)
				})
				b.Configure(Settings{Variant: "windsurf"})
				defer b.run(t)()
				b.until(4 * time.Second)
				for _, variant := range tt.variants {
					b.Configure(Settings{Variant: variant})
				}
				b.until(tt.begun)
				at := usagetest.Noon.Add(tt.begun)
				compareStates(t, State{At: at, Snapshot: nothing(usage.Windsurf).At(at), Fetching: true}, b.now())
				// The first failure of the new one, and not the second in a row.
				b.until(tt.begun + 11*time.Second)
				b.fetches(t, 0, tt.begun, tt.begun+11*time.Second)
				b.asked(t, append(tt.want, tt.want[1])...)
			})
		})
	}
}

func TestConfigureBeforeAndAfterRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		b.Configure(Settings{Interval: time.Minute, Variant: "windsurf-next"})
		stop := b.run(t)
		b.until(90 * time.Second)
		stop()
		b.Configure(Settings{Interval: 2 * time.Minute, Variant: "windsurf"})
		if s := b.now(); s.HasFigures() {
			t.Errorf("figures of the variant before: %+v", s)
		}
		b.until(10 * time.Minute)
		b.fetches(t, 0, time.Minute)
		b.asked(t, "windsurf-next", "windsurf-next")
	})
}

// The variant configured last is the one shown in the end.
func TestConfigureFromManyGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			time.Sleep(time.Millisecond)
			return good(ctx, n)
		})
		defer b.run(t)()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for j := range 20 {
					b.Configure(Settings{Interval: time.Duration(i+1) * time.Minute, Variant: []string{"windsurf", "windsurf-next"}[j%2]})
					time.Sleep(100 * time.Microsecond)
				}
			})
		}
		all.Wait()
		b.Configure(Settings{Interval: time.Minute, Variant: "windsurf-insiders"})
		b.until(time.Second)
		if s := b.now(); !s.HasFigures() || s.Err != nil {
			t.Errorf("state %+v", s)
		}
		if got := b.variants[len(b.variants)-1]; got != "windsurf-insiders" {
			t.Errorf("asked %q last", got)
		}
	})
}
