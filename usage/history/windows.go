package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
	"windsock/usage/pace"
)

// Window is what came of a window that is over, and what was said of it before.
type Window struct {
	pace.Window

	// Plan is the plan's name for programs.
	Plan  string
	Meter usage.MeterID
	Unit  usage.Unit
	// Said is the pace at a quarter, half and three quarters of the window, as of the
	// last sample until then; nil where there is none.
	Said [3]*usage.Pace
}

// Lasted reports whether something was left at the end.
func (w Window) Lasted() bool { return w.UsedUp.IsZero() }

// Windows are the windows that ended since a moment, by their end, plan and meter, of the
// plans that [Store.Samples] tells of. What was said is worked out again, with these
// options. Without a file there are none.
func (s *Store) Windows(ctx context.Context, since time.Time, o pace.Options, plans ...usage.Plan) (windows []Window, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.with(ctx, false, func(ctx context.Context) error {
		windows = nil
		names, err := s.planNames(ctx, plans)
		if err != nil {
			return err
		}
		for id, name := range names {
			flex, _, err := s.query(ctx, s.db, "account = ? AND meter = ? ORDER BY taken", id, s.meters.ids[usage.FlexCredits])
			if err != nil {
				return err
			}
			for meter := range s.meters.infos {
				some, err := s.meterWindows(ctx, series{id, meter}, since, o, flex)
				if err != nil {
					return err
				}
				for i := range some {
					some[i].Plan = name
				}
				windows = append(windows, some...)
			}
		}
		return nil
	})
	sorted.By(windows, func(a, b Window) int {
		return cmp.Or(a.End.Compare(b.End), byPlan(a.Plan, b.Plan), byMeter(a.Meter, b.Meter))
	})
	return windows, err
}

// meterWindows are the windows of one meter. flex are the samples of the flex credits.
func (s *Store) meterWindows(ctx context.Context, one series, since time.Time, o pace.Options, flex []Sample) (windows []Window, err error) {
	info := s.meters.infos[one.meter]
	past, err := pastOf(ctx, s.db, one, time.Unix(usage.LastSecond, 0), math.MaxInt64)
	if err != nil {
		return nil, err
	}
	for i, p := range past {
		if p.End.Before(since) {
			continue
		}
		samples, _, err := s.query(ctx, s.db, "account = ? AND meter = ? AND taken >= ? AND taken < ? ORDER BY taken", one.account, one.meter, p.Start.UnixMilli(), p.End.UnixMilli())
		if err != nil {
			return nil, err
		}
		w := Window{Meter: info.ID, Unit: info.Unit, Window: p}
		samples = slices.DeleteFunc(samples, func(s Sample) bool { return !paced(s) || !sameWindow(s, Sample{Window: p.Window}) })
		for quarter := range w.Said {
			at := p.Start.Add(time.Duration(float64(quarter+1) / 4 * float64(p.End.Sub(p.Start))))
			w.Said[quarter] = saidAt(at, samples, flex, past[max(0, i-maxPast):i], o)
		}
		windows = append(windows, w)
	}
	return windows, nil
}

// saidAt is the pace of the last sample until a moment.
func saidAt(at time.Time, samples, flex []Sample, past []pace.Window, o pace.Options) *usage.Pace {
	until := func(samples []Sample) []Sample {
		n := slices.IndexFunc(samples, func(s Sample) bool { return s.At.After(at) })
		if n < 0 {
			n = len(samples)
		}
		return samples[:n]
	}
	samples, flex = until(samples), until(flex)
	if len(samples) == 0 || !samples[len(samples)-1].Total.Positive() {
		return nil
	}
	last := samples[len(samples)-1]
	meters := []usage.Meter{usage.NewMeter(last.Meter, last.Window).Of(last.Used, last.Total)}
	if n := len(flex); n > 0 && last.Meter == usage.PromptCredits {
		m := usage.NewMeter(usage.FlexCredits, usage.Window{})
		m.Remaining = flex[n-1].Remaining
		meters = append(meters, m)
	}
	seen := pace.Seen{Samples: forPace(current(last, samples, nil)), Past: past}
	s := usage.Snapshot{Source: usage.Source{FetchedAt: last.At}, Meters: meters}
	return pace.Judge(s, pace.History{last.Meter: seen}, o).Meters[0].Pace
}
