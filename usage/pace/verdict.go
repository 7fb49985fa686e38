package pace

import (
	"math"
	"time"

	"windsock/usage"
)

// Judge returns the snapshot with the pace of every meter that has one, as of the time
// of the figures, Source.FetchedAt; without that time there is none. h is what was seen
// before, and may be nil. A second Judge, with other options, replaces the paces.
func Judge(s usage.Snapshot, h History, o Options) usage.Snapshot {
	return s.WithPaces(func(meters []usage.Meter) map[usage.MeterID]*usage.Pace {
		paces := map[usage.MeterID]*usage.Pace{}
		for _, m := range meters {
			if w, ok := newWindow(m, s.Source.FetchedAt, o); ok {
				if m.ID == usage.PromptCredits {
					w.flex = flexBehind(meters) / float64(w.total)
				}
				w.habit = w.habitOf(h[m.ID].Past, o)
				paces[m.ID] = w.pace(h[m.ID].Samples)
			}
		}
		return paces
	})
}

// window is a meter with its window at the time of its figure. Amounts are in
// millionths.
type window struct {
	kind *kind
	// begins says that windows begin with their first use, and not one after another.
	begins         bool
	used, total    int64
	step           int64
	start, end, at time.Time

	// calendar is the window's counted time; elapsed is the part before the figure,
	// ahead the rest; hours are its parts, where those matter.
	calendar       calendar
	elapsed, ahead time.Duration
	hours          []hourPart
	habit          habit
	// flex is the credit available after the total, as a share of it.
	flex float64
}

// newWindow returns false for a meter that has no pace. Money beyond the plan has none:
// the odds come from what people do with what they have paid for.
func newWindow(m usage.Meter, at time.Time, o Options) (*window, bool) {
	if m.ID.IsMoney() {
		return nil, false
	}
	counted := (m.State == usage.StateOK || m.State == usage.StateExhausted) && m.Used.Known() && m.Used.Millionths() >= 0 && m.Total.Positive()
	start, end := m.Window.Start, m.Window.End
	if !counted || at.IsZero() || start.IsZero() || end.IsZero() || !end.After(start) || at.Before(start) || !end.After(at) {
		return nil, false
	}
	w := &window{
		kind: kindOf(end.Sub(start)), begins: m.BeginsWithUse(), used: m.Used.Millionths(), total: m.Total.Millionths(), step: m.Unit.Step(),
		start: start, end: end, at: at, calendar: newCalendar(m.Window, o),
	}
	w.elapsed = w.calendar.worked(at)
	w.ahead = w.calendar.total - w.elapsed
	if w.kind.byHour {
		w.hours = w.calendar.hourParts(o.location())
	}
	return w, true
}

// flexBehind is what the flex credits add to the prompt credits, in millionths. An
// unknown figure counts as enough, since such credits may carry the user on.
func flexBehind(meters []usage.Meter) float64 {
	for _, m := range meters {
		if m.ID == usage.FlexCredits {
			if !m.Remaining.Known() {
				return math.Inf(1)
			}
			return float64(m.Remaining.Millionths())
		}
	}
	return 0
}

// pace judges the meter.
func (w *window) pace(samples []Sample) *usage.Pace {
	p := &usage.Pace{
		Confidence: usage.ConfidenceEstablished, Basis: usage.BasisHistory, PastWindows: w.habit.windows,
		Elapsed: w.elapsedPercent(), BudgetPerDay: w.budget(),
	}
	if w.habit.windows == 0 {
		p.Basis = usage.BasisWindow
		if w.elapsed < w.calendar.total/10 {
			p.Confidence = usage.ConfidenceEarly
		}
	}
	switch f := w.figure(w.present()); {
	case f != "":
		p.Verdict = f
		if f == usage.VerdictUsedUp {
			p.BudgetPerDay = usage.Amount{}
		}
	default:
		w.foresee(p, samples)
	}
	return p
}

// figure is the verdict that a figure alone gives, "" where the chance decides.
func (w *window) figure(s Sample) usage.Verdict {
	used, total := s.Used.Millionths(), s.Total.Millionths()
	left := total - min(used, total)
	switch {
	case left < w.step-left: // half a step is displayed as a whole one
		return usage.VerdictUsedUp
	case w.calendar.worked(s.At) < max(15*time.Minute, w.calendar.total/50):
		return usage.VerdictTooEarly
	case used == 0:
		return usage.VerdictUnused
	default:
		return ""
	}
}

// outlook is the outlook of a figure of this window.
func (w *window) outlook(s Sample) outlook {
	elapsed := float64(w.calendar.worked(s.At)) / float64(w.calendar.total)
	over := elapsed
	if w.kind.byHour {
		over = w.over(s.At)
	}
	o := outlook{used: float64(s.Used.Millionths()) / float64(s.Total.Millionths()), strays: w.kind.straysAt(elapsed)}
	o.rest = max(w.habit.rest(w.kind, s.At, o.used, over), 0.01*(1-elapsed))
	return o
}

// foresee sets what depends on the chance.
func (w *window) foresee(p *usage.Pace, samples []Sample) {
	o := w.outlook(w.present())
	p.Projected, p.Low, p.High = w.percent(o.reaches(median)), w.percent(o.reaches(lowLevel)), w.percent(o.reaches(highLevel))
	limit := 1 + w.flex
	p.Chance = lasting(o.chance(limit))
	said := w.moments(samples)
	switch both, alone := w.gravity(said, limit), w.gravity(said, 1); {
	case both == runsOut && w.kind.fast != "":
		p.Verdict, p.Reason = usage.VerdictTight, w.kind.fast
	case both == runsOut:
		p.Verdict = usage.VerdictRunsOut
	case alone >= isTight && w.flex > 0:
		p.Verdict, p.Reason = usage.VerdictTight, usage.ReasonFlex
		p.SwitchesAt = w.meets(o, median, 1)
	case alone >= isTight:
		p.Verdict = usage.VerdictTight
	default:
		p.Verdict = usage.VerdictOnCourse
	}
	if p.Verdict == usage.VerdictRunsOut || p.Reason == usage.ReasonFlex {
		p.RunsOutAt = w.meets(o, median, limit)
		p.RunsOutFrom, p.RunsOutTo = w.meets(o, highLevel, limit), w.meets(o, lowLevel, limit)
	}
}

// moments are what could be seen of this window up to its figure, in order: each sample,
// and before it what was still seen of the one before.
func (w *window) moments(samples []Sample) []Sample {
	all := make([]Sample, 0, 2*len(samples)+2)
	see := func(s Sample) {
		if n := len(all); n > 0 {
			all = append(all, Sample{s.At, all[n-1].Used, all[n-1].Total})
		}
		all = append(all, s)
	}
	for _, s := range samples {
		inOrder := len(all) == 0 || !s.At.Before(all[len(all)-1].At)
		if inOrder && !s.At.Before(w.start) && s.At.Before(w.at) && s.Used.Known() && !s.Used.Negative() && s.Total.Positive() {
			see(s)
		}
	}
	see(w.present())
	return all
}

// present is the figure as a sample.
func (w *window) present() Sample { return Sample{w.at, usage.Micros(w.used), usage.Micros(w.total)} }

// gravity is how grave it is at the last of some moments that more than a share of the
// total may be used. It is worked out from the moments before, so that all who know
// them say the same.
func (w *window) gravity(moments []Sample, share float64) gravity {
	last := len(moments) - 1
	if last < 0 || w.figure(moments[last]) != "" {
		return lasts
	}
	return w.kind.gravity(w.outlook(moments[last]).chance(share), func() gravity { return w.gravity(moments[:last], share) })
}
