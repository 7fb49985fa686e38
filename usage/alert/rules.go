package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// counts reports whether a meter has a share that something can be told of.
func counts(m usage.Meter) bool {
	return (m.State == usage.StateOK || m.State == usage.StateExhausted) && m.RemainingPercent().Known()
}

// due is what is to be told of a meter.
func (r *record) due(m usage.Meter, s usage.Snapshot, c Config, now time.Time) []Alert {
	thresholds := c.thresholds(m.ID)
	level := levelOf(m, thresholds)
	r.rearm(m, level, now)
	lasted := m.Pace != nil && lasts(&r.RunsOutSince, now, m.Pace.Verdict == usage.VerdictRunsOut)
	runsOut := c.WillRunOut && forecast(m) && !r.RunOutTold
	var due []Alert
	switch {
	case level > r.Told && (m.ID != usage.FlexCredits || drawsOnFlex(s)):
		due = append(due, r.low(m, level, thresholds, runsOut))
	case runsOut && lasted:
		due = append(due, Alert{Kind: KindWillRunOut, Meter: m.ID, told: r.in(func() { r.RunOutTold = true })})
	}
	if level == 0 && r.Owed && !r.Refilled {
		back := Alert{Kind: KindRefilled, Meter: m.ID, told: r.in(func() { r.Owed, r.Refilled = false, true })}
		// Who does not want to hear of it now is not told of it months later.
		r.Owed = c.tells(back)
		due = append(due, back)
	}
	return due
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
func (r *record) low(m usage.Meter, level int, thresholds []int, runsOut bool) Alert {
	a := Alert{Kind: KindLow, Meter: m.ID, Step: 100 - level}
	if level == 100 {
		a.Kind = KindExhausted
	}
	owed := level == 100 || a.Step == slices.Min(thresholds)
	a.told = r.in(func() {
		r.Told, r.Owed = max(r.Told, level), owed
		r.RunOutTold = r.RunOutTold || runsOut
	})
	return a
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
