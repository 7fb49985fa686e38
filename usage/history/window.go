package history

import (
	"context"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// maxPaced is roughly the number of samples that Record returns per window. maxDense of
// them are in the last third before now, where the recent rates come from.
const (
	maxPaced = 768
	maxDense = 512
)

// paced reports whether a meter can have a pace.
func paced(s Sample) bool { return s.length() > 0 && s.Used.Known() }

// windows reads the samples of the current windows of the meters.
func (s *Store) windows(ctx context.Context, plan usage.Plan, present []Sample) (map[usage.MeterID][]Sample, error) {
	id, err := s.findPlan(ctx, s.db, plan)
	if err != nil || id == 0 {
		return nil, err
	}
	kept := map[usage.MeterID][]Sample{}
	for _, p := range present {
		if !paced(p) {
			continue
		}
		if kept[p.Meter], _, err = s.query(ctx, s.db, "account = ? AND meter = ? AND taken >= ? ORDER BY taken",
			id, s.meters.ids[p.Meter], p.Window.Start.UnixMilli()); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// current returns the samples of the window of p, thinned, in the order of both samples
// and clock. After the clock was set back, earlier samples with a later time are
// dropped.
func current(p Sample, earlier, later []Sample) []Sample {
	var window []Sample
	for _, s := range slices.Backward(slices.Concat(earlier, later)) {
		inOrder := len(window) == 0 || s.At.Before(window[len(window)-1].At)
		if paced(s) && sameWindow(s, p) && !s.At.Before(p.Window.Start) && inOrder {
			window = append(window, s)
		}
	}
	slices.Reverse(window)
	if len(window) <= maxPaced {
		return window
	}
	third := p.length() / 3
	split, _ := slices.BinarySearchFunc(window, p.At.Add(-third), func(s Sample, t time.Time) int { return s.At.Compare(t) })
	return slices.Concat(sparse(window[:split], maxPaced-maxDense, p.length()), sparse(window[split:], maxDense, third))
}

// sparse keeps the last sample of each nth part of a span, when there are more than n.
func sparse(samples []Sample, n int, span time.Duration) []Sample {
	if len(samples) <= n {
		return samples
	}
	part := max(1, int64(span/time.Second)/int64(n)+1)
	return thin(samples, func(s Sample) int64 { return s.At.Unix() / part })
}

func forPace(samples []Sample) []pace.Sample {
	all := make([]pace.Sample, len(samples))
	for i, s := range samples {
		all[i] = pace.Sample{At: s.At, Used: s.Used, End: s.Window.End}
	}
	return all
}
