package poll

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage/usagetest"
)

// daily is a quota that resets at a time after noon.
func daily(reset time.Duration) (Reading, error) {
	raw := fmt.Sprintf(`{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d"}}`, usagetest.Noon.Add(reset).Unix())
	return Reading{Raw: []byte(raw)}, nil
}

func TestPollerReset(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// resets are the resets of the fetches in turn; the last one stays.
		resets []time.Duration
		want   []time.Duration
	}{
		{
			"next_window",
			[]time.Duration{2 * time.Minute, 24 * time.Hour},
			[]time.Duration{0, 125 * time.Second, 425 * time.Second},
		},
		{
			"server_is_late",
			[]time.Duration{2 * time.Minute},
			[]time.Duration{0, 125 * time.Second, 425 * time.Second},
		},
		{
			"passed_already",
			[]time.Duration{-time.Hour},
			[]time.Duration{0, 300 * time.Second},
		},
		{
			"just_passed",
			[]time.Duration{-2 * time.Second, time.Hour},
			[]time.Duration{0, 3 * time.Second, 303 * time.Second},
		},
		{
			"near_resets_have_a_pause_between",
			[]time.Duration{10 * time.Second, 16 * time.Second, 76 * time.Second, time.Hour},
			[]time.Duration{0, 15 * time.Second, 75 * time.Second, 135 * time.Second, 435 * time.Second},
		},
		{"in_the_far_future", []time.Duration{200 * 365 * 24 * time.Hour}, []time.Duration{0, 300 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(func(_ context.Context, n int) (Reading, error) {
					return daily(tt.resets[min(n, len(tt.resets)-1)])
				})
				defer b.run(t)()
				b.until(9 * time.Minute)
				b.fetches(t, tt.want...)
			})
		})
	}
}

func TestPollerResetWhileFailing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			if n == 0 {
				return daily(6 * time.Minute)
			}
			return slow(ctx, n)
		})
		defer b.run(t)()
		b.until(9 * time.Minute)
		// 5:00 and 5:10 fail, 6:05 is the reset's, then the pauses go on.
		b.fetches(t, 0, 300*time.Second, 310*time.Second, 365*time.Second, 485*time.Second)
	})
}
