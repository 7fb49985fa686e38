package usage

import (
	"math/big"
	"time"
)

// elapsedPercent is exact, cut off after six decimals.
func (w paceWindow) elapsedPercent() Amount {
	if w.calendar.total <= 0 {
		return Amount{}
	}
	return Micros(int64(w.elapsed)).percentOf(Micros(int64(w.calendar.total)))
}

// budget is what can be used on each of the days that are left and count, a
// rest of a day being a whole one when it is the last.
func (w paceWindow) budget() Amount {
	if w.kind.daily {
		return Amount{}
	}
	const day = 24 * time.Hour
	left := big.NewInt(w.total - min(w.used, w.total))
	left.Mul(left, big.NewInt(int64(day)))
	return Micros(left.Quo(left, big.NewInt(int64(max(day, w.ahead)))).Int64())
}

// projected is the share that is used at the reset.
func (w paceWindow) projected(o outlook) Amount {
	const most = 999
	percent := min(most, 100*o.reaches/float64(w.total))
	// Cut off and not rounded, for that happens when it is shown. What a
	// float64 is off by must not make less of a half.
	p := Micros(int64(percent * one * (1 + 1e-12)))
	return Micros(max(p.micros, Micros(min(w.used, w.total)).percentOf(Micros(w.total)).micros))
}

// moments are when something ends, if the verdict says that it does.
func (w paceWindow) moments(p *Pace, o outlook) {
	left := float64(w.total) - float64(w.used)
	switch {
	case p.Verdict == VerdictRunsOut:
		left += w.flex
		p.RunsOutAt = w.after(left / o.calm)
		if left/o.hot < 0.75*(left/o.calm) {
			p.RunsOutFrom = w.after(left / o.hot)
		}
	case p.Reason == ReasonFlex:
		p.SwitchesAt = w.after(left / o.calm)
	}
}

// after is the moment so many nanoseconds that count after the figure.
func (w paceWindow) after(worked float64) time.Time {
	if worked >= float64(w.ahead) {
		return w.end
	}
	t := w.calendar.at(w.elapsed + time.Duration(worked)).Truncate(time.Second)
	if t.Before(w.at) {
		return w.at
	}
	return t
}
