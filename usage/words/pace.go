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

// pace is the verdict in words: first what will happen and the odds of it, then when or
// how much is left. It is empty when the figure already shows it.
func (w Words) pace(m usage.Meter, now time.Time) string {
	p := m.Pace
	switch {
	case m.State == usage.StateNotStarted:
		return "Starts with the next prompt"
	case p == nil || m.State == usage.StateExhausted:
		return ""
	}
	switch p.Verdict {
	case usage.VerdictUsedUp:
		return "Used up" + between + "back " + w.Moment(m.Window.End, now)
	case usage.VerdictUnused:
		return "Nothing used yet"
	case usage.VerdictTooEarly:
		return "Too early to tell"
	case usage.VerdictRunsOut:
		return join("Runs out"+odds(runsOut(*p)), w.span(p.RunsOutFrom, p.RunsOutTo, now))
	case usage.VerdictTight:
		return w.tight(*p, m.Window.End, now)
	case usage.VerdictOnCourse:
		return join(onCourse(*p), leftAtReset(*p))
	default:
		return ""
	}
}

func (w Words) tight(p usage.Pace, reset, now time.Time) string {
	switch p.Reason {
	case usage.ReasonFastDay:
		return "Fast day: may be used up " + w.byEvening(reset, now)
	case usage.ReasonFastHours:
		return "Fast hours: may be used up before the reset"
	case usage.ReasonFlex:
		return "Prompt credits " + w.until(p.SwitchesAt, now) + ", " + usage.ReasonFlex
	}
	chance := runsOut(p)
	if t := tenths(chance); t >= 4 && t <= 6 {
		return "Even odds to last"
	}
	return "May run out" + odds(chance)
}

func onCourse(p usage.Pace) string {
	lasts := p.Chance.Scaled(0)
	if lasts >= safe {
		return "On course"
	}
	return "Likely to last" + odds(lasts)
}

// safe is the chance, in percent, from which the odds are left out: they would be ten in
// ten.
const safe = 95

// odds are a chance in percent, to add to what it is the chance of.
func odds(chance int64) string {
	if chance >= safe {
		return ""
	}
	return ", " + strconv.FormatInt(tenths(chance), 10) + " in 10"
}

func tenths(chance int64) int64 { return (chance + 5) / 10 }

// runsOut is the chance to run out, in percent.
func runsOut(p usage.Pace) int64 { return 100 - p.Chance.Scaled(0) }

// leftAtReset is the range of what is left at the reset. It shows something as used,
// and nothing as left only where nothing is.
func leftAtReset(p usage.Pace) string {
	least, most := leftOf(p.High), leftOf(p.Low)
	if least == most {
		return shareOf(least) + " left at the reset"
	}
	to := "–"
	if !isNumber(least) || !isNumber(most) {
		to = " to "
	}
	return least + to + shareOf(most) + " left at the reset"
}

// leftOf is what is left of a share that is used at the reset, without the sign.
func leftOf(used usage.Amount) string {
	left := usage.Micros(max(0, 100*usage.One-used.Millionths()))
	switch whole := left.Scaled(0); {
	case !left.Positive():
		return "nothing"
	case whole == 0:
		return "<1"
	case whole == 100 && used.Positive():
		return ">99"
	default:
		return strconv.FormatInt(whole, 10)
	}
}

func shareOf(left string) string {
	if left == "nothing" {
		return left
	}
	return left + " %"
}

func isNumber(text string) bool { return text[0] >= '0' && text[0] <= '9' }

func join(first, second string) string {
	if second == "" {
		return first
	}
	return first + between + second
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
