package alert

import (
	"cmp"
	"slices"
	"time"

	"windsock/usage"
)

// round is the look at one snapshot.
type round struct {
	hash     string
	account  *account
	snapshot usage.Snapshot
	config   Config
	now      time.Time

	// usedUp are the quotas without anything left, and their periods.
	usedUp []quota
	due    []Alert
}

type quota struct {
	meter  usage.Meter
	period *period
}

func (r *round) add(a Alert) {
	if !r.config.tells(a) || r.muted(a.Meter) {
		return
	}
	a.snapshot = r.snapshot
	r.due = append(r.due, a)
}

func (r *round) muted(id usage.MeterID) bool {
	if id == usage.ExtraUsage {
		return r.now.Before(r.account.MutedUntil)
	}
	list := r.account.Meters[id]
	return len(list) > 0 && list[0].Muted
}

func (r *round) mark(m usage.Meter, kind Kind) mark {
	total, _ := m.Total.Micros()
	return mark{account: r.hash, kind: kind, meter: m.ID, window: m.Window, total: total}
}

// counts reports whether a meter has a share that something can be told of.
func counts(m usage.Meter) bool {
	return (m.State == usage.StateOK || m.State == usage.StateExhausted) && m.RemainingPercent().Known()
}

func (r *round) meters() {
	for _, m := range r.snapshot.Meters {
		if !counts(m) {
			continue
		}
		thresholds := r.config.thresholds(m.ID)
		level := levelOf(m, thresholds)
		p := r.account.period(m, r.now)
		present := p.see(m, level, r.now)
		if m.Unit == usage.UnitPercent && m.State == usage.StateExhausted {
			r.usedUp = append(r.usedUp, quota{m, p})
		}
		lasted := m.Pace != nil && lasts(&p.RunsOutSince, r.now, m.Pace.Verdict == usage.VerdictRunsOut)
		runsOut := r.config.WillRunOut && forecast(m) && !p.RunOutTold
		switch {
		case level > present.Told && (m.ID != usage.FlexCredits || drawsOnFlex(r.snapshot)):
			r.low(m, level, thresholds, runsOut)
		case runsOut && lasted:
			r.add(Alert{Kind: KindWillRunOut, Meter: m.ID, marks: []mark{r.mark(m, KindWillRunOut)}})
		}
		if level == 0 && p.Owed && !present.Refilled {
			back := Alert{Kind: KindRefilled, Meter: m.ID, marks: []mark{r.mark(m, KindRefilled)}}
			// Who does not want to hear of it now is not told of it months later.
			p.Owed = r.config.tells(back)
			r.add(back)
		}
	}
}

// levelOf is the share of a meter that can be told to be used: 100 when it is
// used up, else that of the lowest threshold that it is not above, else 0.
func levelOf(m usage.Meter, thresholds []int) int {
	if m.State == usage.StateExhausted {
		return 100
	}
	level := 0
	left, _ := m.RemainingPercent().Micros()
	for _, threshold := range thresholds {
		if left <= int64(threshold)*1_000_000 {
			level = max(level, 100-threshold)
		}
	}
	return level
}

// drawsOnFlex reports whether the flex credits are what is used. Prompt credits
// whose figure is not known may still be.
func drawsOnFlex(s usage.Snapshot) bool {
	prompt, ok := s.Meter(usage.PromptCredits)
	return !ok || prompt.State == usage.StateExhausted
}

// low tells a threshold or the end. A forecast stands in its text, even one that
// has not lasted yet, and counts as told with it.
func (r *round) low(m usage.Meter, level int, thresholds []int, runsOut bool) {
	a := Alert{Kind: KindLow, Meter: m.ID, Step: 100 - level}
	if level == 100 {
		a.Kind = KindExhausted
	}
	reached := r.mark(m, a.Kind)
	reached.told = level
	reached.owes = level == 100 || 100-level == slices.Min(thresholds)
	a.marks = []mark{reached}
	if runsOut {
		a.marks = append(a.marks, r.mark(m, KindWillRunOut))
	}
	r.add(a)
}

// forecast reports whether a meter's pace is worth telling, if it lasts.
func forecast(m usage.Meter) bool {
	if m.Pace == nil || m.Pace.Verdict != usage.VerdictRunsOut || m.Pace.Confidence != usage.ConfidenceEstablished {
		return false
	}
	used, _ := m.Used.Float()
	total, _ := m.Total.Float()
	at := m.Pace.RunsOutAt
	return m.ID != usage.DailyQuota && 100*used >= 15*total &&
		!at.IsZero() && m.Window.End.Sub(at) >= 30*time.Minute
}

// gravest is the alert that stands for all that are due.
func (r *round) gravest() *Alert {
	if len(r.due) == 0 {
		return nil
	}
	slices.SortStableFunc(r.due, compare)
	first := r.due[0]
	first.also = r.due[1:]
	for _, a := range first.also {
		first.marks = append(first.marks, a.marks...)
	}
	return &first
}

var kinds = []Kind{
	KindInDebt, KindExtraUsageSpent, KindOnExtraUsage, KindTopUp,
	KindExhausted, KindLow, KindWillRunOut, KindRefilled,
}

// compare puts the graver alert first.
func compare(a, b Alert) int {
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(a.Step, b.Step),
		b.returns().Compare(a.returns()),
	)
}

func (a Alert) rank() int {
	if a.Kind == KindExhausted && a.Meter == usage.ExtraUsage {
		return 1 // after a debt, which comes of it
	}
	return 2 * slices.Index(kinds, a.Kind)
}

// returns is when the meter is back; after all others, if that is not known.
// Flex credits do not come back, and end with the prompt credits or after them.
func (a Alert) returns() time.Time {
	end := a.meter().Window.End
	if end.IsZero() && a.Meter != usage.FlexCredits {
		return time.Unix(1<<40, 0)
	}
	return end
}
