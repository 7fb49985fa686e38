package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// due returns the alerts that are due for a meter.
func (r *record) due(m usage.Meter, s usage.Snapshot, c Config, now time.Time) []Alert {
	thresholds := c.thresholds(m.ID)
	level := levelOf(m, thresholds)
	r.rearm(m, level, now)
	lasted := m.Pace != nil && lasts(&r.RunsOutSince, now, likely(*m.Pace))
	runsOut := c.WillRunOut && forecast(m) && !r.RunOutTold
	var due []Alert
	switch {
	case level > r.Told && (m.ID != usage.FlexCredits || drawsOnFlex(s)):
		due = append(due, r.low(m, level, thresholds, runsOut))
	case runsOut && lasted:
		due = append(due, Alert{Kind: KindWillRunOut, Meter: m.ID, told: r.in(func() { r.RunOutTold = true }), holds: r.stands(0)})
	}
	if level == 0 && r.Owed && !r.Refilled {
		back := Alert{Kind: KindRefilled, Meter: m.ID, told: r.in(func() { r.Owed, r.Refilled = false, true })}
		// An alert that is turned off now must not come months later.
		r.Owed = c.tells(back)
		due = append(due, back)
	}
	return due
}

// levelOf is the used share to warn about: 100 for a used-up meter, else that of the
// lowest threshold reached, else 0.
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

// drawsOnFlex reports whether the flex credits are in use. Prompt credits with an
// unknown figure may not be used up.
func drawsOnFlex(s usage.Snapshot) bool {
	prompt, ok := s.Meter(usage.PromptCredits)
	return !ok || prompt.State == usage.StateExhausted
}

// low is the alert for a threshold or the end. Its text has a forecast, even one that
// has not lasted yet, which then counts as shown.
func (r *record) low(m usage.Meter, level int, thresholds []int, runsOut bool) Alert {
	a := Alert{Kind: KindLow, Meter: m.ID, Step: 100 - level, holds: r.stands(level)}
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

// unlikely is the chance to last, in percent, up to which a forecast is worth an alert.
const unlikely = 30

// likely reports whether a meter is likely to run out. Its verdict says so earlier.
func likely(p usage.Pace) bool {
	return p.Verdict == usage.VerdictRunsOut && p.Chance.Millionths() <= unlikely*usage.One
}

// forecast reports whether a meter's pace is worth an alert, if it lasts.
func forecast(m usage.Meter) bool {
	if short := []usage.Rhythm{usage.RhythmDay, usage.RhythmHours}; slices.Contains(short, m.ID.Info().Rhythm) {
		return false
	}
	if m.Pace == nil || !likely(*m.Pace) || m.Pace.Confidence != usage.ConfidenceEstablished {
		return false
	}
	used, _ := m.Used.Float()
	total, _ := m.Total.Float()
	at := m.Pace.RunsOutAt
	return 100*used >= 15*total &&
		!at.IsZero() && m.Window.End.Sub(at) >= 30*time.Minute
}
