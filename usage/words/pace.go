package words

import (
	"strconv"
	"time"

	"windsock/usage"
)

// Glyph is a verdict in one letter, without a colour.
func Glyph(v usage.Verdict) string {
	return map[usage.Verdict]string{
		usage.VerdictUsedUp: "✗", usage.VerdictUnused: "○", usage.VerdictTooEarly: "…",
		usage.VerdictOnCourse: "✓", usage.VerdictTight: "△", usage.VerdictRunsOut: "▲",
	}[v]
}

// pace is the verdict in words: first what will happen, then when. It is empty when the
// figure already shows it.
func (w Words) pace(m usage.Meter, now time.Time) string {
	p := m.Pace
	switch {
	case p == nil || m.State == usage.StateExhausted:
		return ""
	case p.Verdict == usage.VerdictUsedUp:
		return "Used up · back " + w.Moment(m.Window.End, now)
	case p.Verdict == usage.VerdictUnused:
		return "Nothing used yet"
	case p.Verdict == usage.VerdictTooEarly:
		return "Too early to tell"
	case p.Verdict == usage.VerdictRunsOut:
		return w.runsOut(*p, m.Window.End, now)
	case p.Verdict == usage.VerdictOnCourse:
		return "On course: " + leftAtReset(*p)
	case p.Reason == usage.ReasonFastDay:
		return "Fast day: would not last at this pace"
	case p.Reason == usage.ReasonFastHours:
		return "Fast hours: would not last at this pace"
	case p.Reason == usage.ReasonFlex && p.SwitchesAt.IsZero():
		return "May not last, " + usage.ReasonFlex
	case p.Reason == usage.ReasonFlex:
		return "Lasts until ~" + w.Forecast(p.SwitchesAt, now, m.Window.End) + ", " + usage.ReasonFlex
	default:
		return "Tight: " + leftAtReset(*p)
	}
}

// verdictTone is how grave a verdict is.
func verdictTone(v usage.Verdict) Tone {
	switch v {
	case usage.VerdictUsedUp:
		return ToneCritical
	case usage.VerdictRunsOut, usage.VerdictTight:
		return ToneLow
	default:
		return ToneFaint
	}
}

func (w Words) runsOut(p usage.Pace, reset, now time.Time) string {
	if p.RunsOutAt.IsZero() {
		return "May run out"
	}
	at := w.Forecast(p.RunsOutAt, now, reset)
	if !p.RunsOutFrom.IsZero() {
		if from := w.Forecast(p.RunsOutFrom, now, reset); from != at {
			return "Runs out " + from + " – " + at
		}
	}
	return "Runs out ~" + at + ", " + Before(reset.Sub(p.RunsOutAt)) + " the reset"
}

// Forecast is a moment that is not exact to the minute: the full hour before it, if it
// is hours from now and from the reset.
func (w Words) Forecast(t, now, reset time.Time) string {
	if hours := 6 * time.Hour; t.Sub(now) >= hours && reset.Sub(t) >= hours {
		_, minute, second := w.local(t).Clock()
		t = t.Add(-time.Duration(minute)*time.Minute - time.Duration(second)*time.Second)
	}
	return w.Moment(t, now)
}

// leftAtReset is what the projection leaves, written as by [Percent]. It shows
// something as used and, where the verdict is not grave, something as left.
func leftAtReset(p usage.Pace) string {
	switch left := usage.Micros(max(0, 100*usage.One-p.Projected.Millionths())).Scaled(0); left {
	case 0:
		return "<1 % left at reset"
	case 100:
		return ">99 % left at reset"
	default:
		return "~" + strconv.FormatInt(left, 10) + " % left at reset"
	}
}

// budget is the use per day of a meter that may not last.
func (w Words) budget(m usage.Meter) string {
	p := m.Pace
	if p == nil || !p.BudgetPerDay.Known() || (p.Verdict != usage.VerdictTight && p.Verdict != usage.VerdictRunsOut) {
		return ""
	}
	// Truncated, since more would not last; to tenths for small figures.
	grain := int64(usage.One)
	if m.Unit != usage.UnitPercent && p.BudgetPerDay.Millionths() < 10*usage.One {
		grain = usage.One / 10
	}
	budget := p.BudgetPerDay.Millionths()
	if budget < grain { // something is left, if next to nothing
		return "To last: less than " + InUnit(usage.Micros(grain), m.Unit) + " a day"
	}
	return "To last: up to " + InUnit(usage.Micros(budget-budget%grain), m.Unit) + " a day"
}
