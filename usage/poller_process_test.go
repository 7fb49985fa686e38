package usage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Whose process ends is asked at once, and not with the next interval.
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
			"sooner_where_somebody_looks", watchLook, gone, func(_ int, after time.Duration) bool { return after < end },
			[]time.Duration{0, 100 * time.Second, 110 * time.Second, 170 * time.Second, 230 * time.Second, 290 * time.Second},
			100 * time.Second,
		},
		{
			"another_one_answers", watchLook, fromNew, func(pid int, after time.Duration) bool { return pid != 7 || after < end },
			[]time.Duration{0, 100 * time.Second},
			0,
		},
		{
			"another_one_hangs", watchLook, hanging, func(_ int, after time.Duration) bool { return after < end },
			[]time.Duration{0, 100 * time.Second, 110 * time.Second, 170 * time.Second, 290 * time.Second},
			0,
		},
		{
			"never_seen_from_here", watchLook, fromNew, func(int, time.Duration) bool { return false },
			[]time.Duration{0},
			0,
		},
		{
			"runs_on", watchLook, fromNew, func(int, time.Duration) bool { return true },
			[]time.Duration{0},
			0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(tt.answer)
				b.server.runs = func(pid int) bool { return tt.runs(pid, time.Since(b.start)) }
				if tt.every > 0 {
					b.server.every = tt.every
				}
				states, cancel := b.Subscribe()
				defer b.run(t)()
				var stale []time.Duration
				done := make(chan struct{})
				go func() {
					defer close(done)
					for s := range states {
						if s.Snapshot.Source.Stale && len(stale) == 0 {
							stale = append(stale, s.At.Sub(noon))
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

// A bar that follows with the default interval fades within seconds of the
// editor's end, and the server was not asked more often for that.
func TestWatchSeesEditorEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const end = 65 * time.Second
		start, fetches := time.Now(), 0
		ended := func() bool { return time.Since(start) >= end }
		c := &statusCommand{
			fetch: func(context.Context, string) (Reading, error) {
				fetches++
				if ended() {
					return Reading{}, deadServerError{}
				}
				return Reading{Raw: []byte(credits), PID: 7}, nil
			},
			runs:   func(pid int) bool { return pid == 7 && !ended() },
			now:    func() time.Time { return noon.Add(time.Since(start)) },
			lookup: func(string) (string, bool) { return "", false }, location: time.UTC,
		}
		var out strings.Builder
		cmd := quietCommand(c)
		cmd.SetArgs([]string{"--watch", "--format", "waybar"})
		cmd.SetOut(&out)
		ctx, cancel := context.WithTimeout(t.Context(), end+watchLook)
		defer cancel()
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		lines := strings.SplitAfter(out.String(), "\n")
		if len(lines) != 3 || strings.Contains(lines[0], "stale") || !strings.Contains(lines[1], `"text":"(91%)"`) ||
			!strings.Contains(lines[1], `"class":["ok","stale"]`) {
			t.Errorf("wrote %s", out.String())
		}
		if fetches != 2 {
			t.Errorf("asked %d times", fetches)
		}
	})
}
