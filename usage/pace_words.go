package usage

import (
	"strconv"
	"time"
)

// Glyph tells a verdict without a colour where there is room for one letter.
func (v Verdict) Glyph() string {
	return map[Verdict]string{
		VerdictUsedUp: "✗", VerdictUnused: "○", VerdictTooEarly: "…",
		VerdictOnCourse: "✓", VerdictTight: "△", VerdictRunsOut: "▲",
	}[v]
}

// pace is the verdict in words: first what comes of it, then when. It is empty
// where the figure says as much.
func (w Words) pace(m Meter, now time.Time) string {
	p := m.Pace
	switch {
	case p == nil || m.State == StateExhausted:
		return ""
	case p.Verdict == VerdictUsedUp:
		return "Used up · back " + w.Moment(m.Window.End, now)
	case p.Verdict == VerdictUnused:
		return "Nothing used yet"
	case p.Verdict == VerdictTooEarly:
		return "Too early to tell"
	case p.Verdict == VerdictRunsOut:
		return w.runsOut(*p, m.Window.End, now)
	case p.Verdict == VerdictOnCourse:
		return "On course: " + p.leftAtReset()
	case p.Reason == ReasonFastStart:
		return "Fast start: would not last at this pace"
	case p.Reason == ReasonFastDay:
		return "Fast day: would not last at this pace"
	case p.Reason == ReasonFlex:
		return "Lasts until ~" + w.Forecast(p.SwitchesAt, now, m.Window.End) + ", " + ReasonFlex
	case p.Reason != "":
		return "Tight " + p.Reason
	default:
		return "Tight: " + p.leftAtReset()
	}
}

// tone is how grave the verdict is.
func (v Verdict) tone() Tone {
	switch v {
	case VerdictUsedUp:
		return ToneCritical
	case VerdictRunsOut, VerdictTight:
		return ToneLow
	default:
		return toneFaint
	}
}

func (w Words) runsOut(p Pace, reset, now time.Time) string {
	at := w.Forecast(p.RunsOutAt, now, reset)
	if !p.RunsOutFrom.IsZero() {
		if from := w.Forecast(p.RunsOutFrom, now, reset); from != at {
			return "Runs out " + from + " – " + at
		}
	}
	return "Runs out ~" + at + ", " + Before(reset.Sub(p.RunsOutAt)) + " the reset"
}

// Forecast is a moment that is not known to the minute: the full hour before it,
// where it is hours from now and from the reset.
func (w Words) Forecast(t, now, reset time.Time) string {
	if hours := 6 * time.Hour; t.Sub(now) >= hours && reset.Sub(t) >= hours {
		_, minute, second := w.local(t).Clock()
		t = t.Add(-time.Duration(minute)*time.Minute - time.Duration(second)*time.Second)
	}
	return w.Moment(t, now)
}

// leftAtReset is what the projection leaves, as [Meter.Percent] writes shares.
// Something is used and, where the verdict is not grave, something is left.
func (p Pace) leftAtReset() string {
	switch left := Micros(max(0, 100*one-p.Projected.micros)).scaled(0); left {
	case 0:
		return "<1 % left at reset"
	case 100:
		return ">99 % left at reset"
	default:
		return "~" + strconv.FormatInt(left, 10) + " % left at reset"
	}
}

// budget is what a meter that may not last can take.
func (w Words) budget(m Meter) string {
	p := m.Pace
	if p == nil || !p.BudgetPerDay.known || (p.Verdict != VerdictTight && p.Verdict != VerdictRunsOut) {
		return ""
	}
	// Cut off, for more would not last; to tenths where there are few.
	grain, least := int64(one), "1"
	if m.Unit != UnitPercent && p.BudgetPerDay.micros < 10*one {
		grain, least = one/10, "0.1"
	}
	text := "up to " + Micros(p.BudgetPerDay.micros-p.BudgetPerDay.micros%grain).grouped()
	if p.BudgetPerDay.micros < grain {
		text = "less than " + least // something is left, if next to nothing
	}
	unit := map[Unit]string{UnitCredits: " credit", UnitPercent: " %", UnitACU: " ACU"}[m.Unit]
	if text != "up to 1" && m.Unit != UnitPercent {
		unit += "s"
	}
	return "To last: " + text + unit + " a day"
}
