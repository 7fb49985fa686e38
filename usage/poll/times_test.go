package poll

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestFetchTimes(t *testing.T) {
	t.Parallel()
	at := func(minutes, seconds int) time.Duration {
		return time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
	}
	nap := func(from, to time.Duration) usage.Window {
		return usage.Window{Start: usagetest.Noon.Add(from), End: usagetest.Noon.Add(to)}
	}
	tests := []struct {
		name  string
		reset time.Duration
		naps  []usage.Window
		want  []time.Duration
	}{
		{"steady", 24 * time.Hour, nil, []time.Duration{0, at(5, 0), at(10, 0), at(15, 0)}},
		{"reset", at(7, 0), nil, []time.Duration{0, at(5, 0), at(7, 5), at(12, 5)}},
		// A nap is seen half a minute after its end, and the network needs 5 s.
		{"nap", 24 * time.Hour, []usage.Window{nap(at(6, 0), at(60, 0))}, []time.Duration{0, at(5, 0), at(60, 35), at(65, 35)}},
		{"two_naps", 24 * time.Hour, []usage.Window{nap(at(6, 0), at(60, 0)), nap(at(62, 0), at(90, 0))}, []time.Duration{0, at(5, 0), at(60, 35), at(90, 35), at(95, 35)}},
		{"short_naps", 24 * time.Hour, []usage.Window{nap(at(6, 0), at(60, 0)), nap(at(60, 10), at(61, 0))}, []time.Duration{0, at(5, 0), at(61, 35)}},
		{"reset_in_a_nap", at(30, 0), []usage.Window{nap(at(6, 0), at(60, 0))}, []time.Duration{0, at(5, 0), at(60, 35), at(65, 35)}},
		{"asleep_at_the_start", 24 * time.Hour, []usage.Window{nap(-time.Hour, at(60, 0))}, []time.Duration{at(60, 35), at(65, 35)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []time.Duration
			for when := range FetchTimes(usagetest.Noon, usagetest.Noon.Add(tt.reset), 0, tt.naps, func() float64 { return 0.5 }) {
				if got = append(got, when.Sub(usagetest.Noon)); len(got) == len(tt.want) {
					break
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// They are what a poller does, nap and reset included.
func TestFetchTimesAreThePollers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(context.Context, int) (Reading, error) { return daily(3 * time.Hour) })
		defer b.run(t)()
		b.until(6 * time.Minute)
		b.set(90 * time.Minute) // seen at 7 minutes
		b.until(2 * time.Hour)
		var want []time.Duration
		naps := []usage.Window{{Start: usagetest.Noon.Add(6*time.Minute + 30*time.Second), End: usagetest.Noon.Add(96*time.Minute + 30*time.Second)}}
		for when := range FetchTimes(usagetest.Noon, usagetest.Noon.Add(3*time.Hour), 0, naps, func() float64 { return 0.5 }) {
			after := when.Sub(usagetest.Noon)
			if after > 6*time.Minute {
				after -= 90 * time.Minute
			}
			if after > 2*time.Hour {
				break
			}
			want = append(want, after)
		}
		b.fetches(t, want...)
	})
}
