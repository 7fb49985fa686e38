package pace

import (
	"math/big"
	"time"

	"windsock/usage"
)

// elapsedPercent is exact, truncated to six decimals.
func (w window) elapsedPercent() usage.Amount {
	if w.calendar.total <= 0 {
		return usage.Amount{}
	}
	return usage.Micros(int64(w.elapsed)).PercentOf(usage.Micros(int64(w.calendar.total)))
}

// budget is what each remaining counted day can use. A last part of a day counts as a
// whole day.
func (w window) budget() usage.Amount {
	if w.kind.fast != "" {
		return usage.Amount{}
	}
	const day = 24 * time.Hour
	left := big.NewInt(w.total - min(w.used, w.total))
	left.Mul(left, big.NewInt(int64(day)))
	return usage.Micros(left.Quo(left, big.NewInt(int64(max(day, w.ahead)))).Int64())
}

// projected is the share used at the reset.
func (w window) projected(o outlook) usage.Amount {
	const most = 999
	percent := min(most, 100*o.reaches/float64(w.total))
	// Truncated, since the display rounds. The factor keeps a float64 error from
	// turning a half into less.
	p := usage.Micros(int64(percent * usage.One * (1 + 1e-12)))
	return usage.Micros(max(p.Millionths(), usage.Micros(min(w.used, w.total)).PercentOf(usage.Micros(w.total)).Millionths()))
}

// moments sets the times that belong to the verdict.
func (w window) moments(p *usage.Pace, o outlook) {
	left := float64(w.total) - float64(w.used)
	switch {
	case p.Verdict == usage.VerdictRunsOut:
		left += w.flex
		p.RunsOutAt = w.after(left / o.calm)
		if left/o.hot < 0.75*(left/o.calm) {
			p.RunsOutFrom = w.after(left / o.hot)
		}
	case p.Reason == usage.ReasonFlex:
		p.SwitchesAt = w.after(left / o.calm)
	}
}

// after is the moment that many nanoseconds of counted time after the figure.
func (w window) after(worked float64) time.Time {
	if worked >= float64(w.ahead) {
		return w.end
	}
	t := w.calendar.at(w.elapsed + time.Duration(worked)).Truncate(time.Second)
	if t.Before(w.at) {
		return w.at
	}
	return t
}
