package usage

import (
	"math"
	"slices"
	"time"
)

// WithPace is the snapshot with the pace of every meter that has one, worked out
// at the time of the figures, Source.FetchedAt; without that there is none. h is
// what was said before, and may be nil. A pace lasts through [Snapshot.At] until
// its meter rolls over. WithPace again, with other options, replaces it.
func (s Snapshot) WithPace(h History, o PaceOptions) Snapshot {
	if s.said == nil {
		s.Meters = withPace(s.Meters, s.Source.FetchedAt, h, o)
		return s
	}
	changed := *s.said
	changed.meters = withPace(changed.meters, s.Source.FetchedAt, h, o)
	s.said = &changed
	if s.Judged.IsZero() {
		s.Meters = slices.Clone(changed.meters)
		return s
	}
	return s.At(s.Judged)
}

func withPace(meters []Meter, at time.Time, h History, o PaceOptions) []Meter {
	paced := slices.Clone(meters)
	for i, m := range paced {
		paced[i].Pace = nil
		if w, ok := newPaceWindow(m, at, o); ok {
			if m.ID == PromptCredits {
				w.flex = flexBehind(meters)
			}
			paced[i].Pace = w.pace(h[m.ID])
		}
	}
	return paced
}

// paceWindow is a meter with its window at the time of its figure. The amounts
// are in millionths.
type paceWindow struct {
	kind           paceKind
	used, total    int64
	step           int64
	start, end, at time.Time

	// calendar is the time of the window that counts; elapsed is what of it is
	// over, ahead what is not; days is how many there are in a week.
	calendar       calendar
	elapsed, ahead time.Duration
	days           int
	// flex is what stands behind the total.
	flex float64
}

// newPaceWindow returns false for a meter that has no pace.
func newPaceWindow(m Meter, at time.Time, o PaceOptions) (paceWindow, bool) {
	counted := (m.State == StateOK || m.State == StateExhausted) && m.Used.known && m.Used.micros >= 0 && m.Total.positive()
	start, end := m.Window.Start, m.Window.End
	if !counted || at.IsZero() || start.IsZero() || end.IsZero() || !end.After(start) || at.Before(start) || !end.After(at) {
		return paceWindow{}, false
	}
	w := paceWindow{
		kind: kindOfPace(m.ID), used: m.Used.micros, total: m.Total.micros, step: m.step(),
		start: start, end: end, at: at, calendar: newCalendar(m.Window, o), days: o.days(),
	}
	w.elapsed = w.calendar.worked(at)
	w.ahead = w.calendar.total - w.elapsed
	return w, true
}

// step is the least by which a figure changes, and the least that a display
// shows.
func (m Meter) step() int64 {
	if m.Unit == UnitPercent {
		return one
	}
	return one / 100
}

// flexBehind is what the flex credits add to the prompt credits. Those whose
// figure is not known may carry the user on, so they count as enough.
func flexBehind(meters []Meter) float64 {
	for _, m := range meters {
		if m.ID == FlexCredits {
			if !m.Remaining.known {
				return math.Inf(1)
			}
			return float64(m.Remaining.micros)
		}
	}
	return 0
}

// outlook is what the rates come to.
type outlook struct {
	rates

	verdict Verdict
	reason  string
	// reaches is how much is used at the reset.
	reaches float64
}

// outlook is that of a figure.
func (w paceWindow) outlook(used int64, series []Sample) outlook {
	o := outlook{rates: w.rates(used, series), verdict: VerdictOnCourse}
	total, ahead := float64(w.total), float64(w.ahead)
	o.reaches = float64(used) + o.calm*ahead
	switch {
	case o.reaches > total && w.flex > 0 && o.reaches-total <= w.flex:
		o.verdict, o.reason = VerdictTight, ReasonFlex
	case o.reaches > total:
		o.verdict = VerdictRunsOut
	case o.reaches > 0.9*total:
		o.verdict = VerdictTight
	case float64(used)+o.hot*ahead > total:
		o.verdict, o.reason = VerdictTight, w.hotReason(o.rates)
	}
	return o
}

// hotReason says which of the two rates is the hot one.
func (w paceWindow) hotReason(r rates) string {
	if r.hot > r.average {
		return "at the pace of the last " + w.kind.name
	}
	return "at the average pace"
}

// pace judges the meter.
func (w paceWindow) pace(samples []Sample) *Pace {
	p := &Pace{
		Confidence: ConfidenceEstablished, Basis: BasisAverage,
		Elapsed: w.elapsedPercent(), BudgetPerDay: w.budget(),
	}
	left := w.total - min(w.used, w.total)
	// Half a step is shown as a whole one.
	if left < w.step-left {
		p.Verdict, p.BudgetPerDay = VerdictUsedUp, Amount{}
		return p
	}
	if w.used == 0 {
		p.Verdict = VerdictUnused
		return p
	}
	if w.elapsed < max(15*time.Minute, w.calendar.total/50) {
		p.Verdict, p.Confidence = VerdictTooEarly, ConfidenceEarly
		return p
	}
	series := w.series(samples)
	o := w.outlook(w.used, series)
	if o.both {
		p.Basis = BasisBoth
	}
	if float64(w.used) < 0.05*float64(w.total) && o.reaches > 0.9*float64(w.total) {
		p.Verdict, p.Confidence = VerdictTooEarly, ConfidenceEarly
		return p
	}
	o, sure := w.banded(o, series)
	if !sure || w.elapsed < w.calendar.total/10 {
		p.Confidence = ConfidenceEarly
	}
	p.Verdict, p.Reason = w.gated(o, p.Confidence)
	p.Projected = w.projected(o)
	w.moments(p, o)
	return p
}

// banded looks whether half a step more or less is another verdict. If so, the
// calmer one stands, and is not sure.
func (w paceWindow) banded(o outlook, series []Sample) (calmer outlook, sure bool) {
	low := w.outlook(max(0, w.used-w.step/2), series)
	high := w.outlook(min(w.total, w.used+w.step/2), series)
	if low.verdict == high.verdict {
		return o, true
	}
	if grave(high.verdict) < grave(low.verdict) {
		low = high
	}
	if low.verdict != o.verdict {
		o.verdict, o.reason = low.verdict, low.reason
	}
	return o, false
}

// grave orders the verdicts that are projections.
func grave(v Verdict) int {
	return slices.Index([]Verdict{VerdictOnCourse, VerdictTight, VerdictRunsOut}, v)
}

// gated takes an alarm back that rests on too little: the beginning of a window,
// or a daily window. A working day that starts after the reset looks like ruin
// at every hour, and ends with much left.
func (w paceWindow) gated(o outlook, c Confidence) (v Verdict, reason string) {
	switch {
	case o.verdict != VerdictRunsOut:
		return o.verdict, o.reason
	case c == ConfidenceEarly:
		return VerdictTight, ReasonFastStart
	case w.kind.daily:
		return VerdictTight, ReasonFastDay
	default:
		return VerdictRunsOut, ""
	}
}
