package history

import (
	"context"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// paced reports whether a meter can have a pace.
func paced(s Sample) bool { return s.length() > 0 && s.Used.Known() }

// seen is what is stored of a meter: the samples since its window began, and the windows
// before.
type seen struct {
	samples []Sample
	past    []pace.Window
}

// seen reads what is stored of the meters with a window.
func (s *Store) seen(ctx context.Context, plan usage.Plan, present []Sample) (map[usage.MeterID]seen, error) {
	id, err := s.findPlan(ctx, s.db, plan)
	if err != nil || id == 0 {
		return nil, err
	}
	kept := map[usage.MeterID]seen{}
	for _, p := range present {
		if !paced(p) {
			continue
		}
		one := series{id, s.meters.ids[p.Meter]}
		samples, _, err := s.query(ctx, s.db, "account = ? AND meter = ? AND taken >= ? ORDER BY taken", one.account, one.meter, p.Window.Start.UnixMilli())
		if err != nil {
			return nil, err
		}
		past, err := pastOf(ctx, s.db, one, p.Window.Start.Add(-p.length()/sameStart), maxPast)
		if err != nil {
			return nil, err
		}
		kept[p.Meter] = seen{samples, past}
	}
	return kept, nil
}

// current returns the samples of the window of p, in the order of both samples and
// clock. After the clock was set back, earlier samples with a later time are dropped.
func current(p Sample, earlier, later []Sample) []Sample {
	var window []Sample
	for _, s := range slices.Backward(slices.Concat(earlier, later)) {
		inOrder := len(window) == 0 || s.At.Before(window[len(window)-1].At)
		if paced(s) && sameWindow(s, p) && !s.At.Before(p.Window.Start) && inOrder {
			window = append(window, s)
		}
	}
	slices.Reverse(window)
	return window
}

func forPace(samples []Sample) []pace.Sample {
	all := make([]pace.Sample, len(samples))
	for i, s := range samples {
		all[i] = pace.Sample{At: s.At, Used: s.Used, Total: s.Total}
	}
	return all
}

// begins reports whether the window of b is not that of a, the sample before: its end is
// another, or it began in between, as after a change of the plan.
func begins(a, b Sample) bool { return !sameWindow(a, b) || b.Window.Start.After(a.At) }

// windowsOf are the windows of the samples of one meter, which are in the order in which
// they were taken. Hours are those of location.
func windowsOf(samples []Sample, location *time.Location) (windows []pace.Window) {
	samples = slices.DeleteFunc(samples, func(s Sample) bool { return !paced(s) })
	uses := usesOf(samples)
	var w *pace.Window
	for i, s := range samples {
		if i == 0 || begins(samples[i-1], s) {
			windows = append(windows, pace.Window{})
			w = &windows[len(windows)-1]
		}
		w.Window, w.Used, w.Total = s.Window, s.Used, s.Total
		switch {
		case !usedUp(s):
			w.UsedUp = time.Time{}
		case w.UsedUp.IsZero():
			w.UsedUp = s.At
		}
		if s.length() <= maxHoured {
			w.Hours[s.At.In(location).Hour()] += uses[i]
		}
	}
	return windows
}

// maxHoured is the longest window whose hours matter.
const maxHoured = 48 * time.Hour

// usedUp reports whether nothing is left that a display would show: half a step is
// displayed as a whole one.
func usedUp(s Sample) bool {
	left := s.Total.Millionths() - min(s.Used.Millionths(), s.Total.Millionths())
	return s.Total.Positive() && left < s.Unit.Step()-left
}
