package pace

import (
	"math"
	"math/big"
	"time"

	"windsock/usage"
)

// elapsedPercent is exact, truncated to six decimals.
func (w *window) elapsedPercent() usage.Amount {
	if w.calendar.total <= 0 {
		return usage.Amount{}
	}
	return usage.Micros(int64(w.elapsed)).PercentOf(usage.Micros(int64(w.calendar.total)))
}

// budget is what each remaining counted day can use. The last day counts as a whole
// one.
func (w *window) budget() usage.Amount {
	if w.kind.fast != "" {
		return usage.Amount{}
	}
	left := big.NewInt(w.total - min(w.used, w.total))
	left.Mul(left, big.NewInt(int64(day)))
	return usage.Micros(left.Quo(left, big.NewInt(int64(max(day, w.ahead)))).Int64())
}

// percent is a share used at the reset in percent: at least what is used, at most 999.
func (w *window) percent(share float64) usage.Amount {
	// Truncated, since the display rounds. The factor keeps a float64 error from
	// turning a half into less.
	p := usage.Micros(int64(min(999, 100*share) * usage.One * (1 + 1e-12)))
	used := usage.Micros(min(w.used, w.total)).PercentOf(usage.Micros(w.total))
	return usage.Micros(min(999*usage.One, max(p.Millionths(), used.Millionths())))
}

// lasting is the chance to last, by the chance to run out, in whole per cent. Nothing
// is certain.
func lasting(runsOut float64) usage.Amount {
	return usage.Micros(int64(min(99, max(1, math.Round(100*(1-runsOut))))) * usage.One)
}

// meets is when that share of the total is used up, at a level; zero when not before
// the reset.
func (w *window) meets(o outlook, level int, share float64) time.Time {
	if !(o.reaches(level) > share) {
		return time.Time{}
	}
	ahead := (share - o.used) / (o.reaches(level) - o.used) * float64(w.ahead)
	t := w.calendar.at(w.elapsed + time.Duration(ahead)).Truncate(time.Second)
	if t.Before(w.at) {
		return w.at
	}
	return t
}
