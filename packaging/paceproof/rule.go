package main

import (
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// forecast is what a rule makes of a sight: the share of the plan that is used in
// the end, in percent, and whether it warns. Not known where the plan is used up
// or unused, or where it is too early.
type forecast struct {
	known   bool
	percent float64
	runsOut bool
}

// rule is a way of making forecasts.
type rule struct {
	name  string
	judge func(s sight) forecast
}

var rules = []rule{
	{"Windsock's", func(s sight) forecast {
		p := s.meter.Pace
		if p == nil {
			return forecast{}
		}
		percent, known := p.Projected.Float()
		return forecast{known, percent, p.Verdict == usage.VerdictRunsOut}
	}},
	// What is used, by the time that is over.
	{"naive", func(s sight) forecast {
		used, total, over, whole := s.figures()
		percent := 100 * used / total * float64(whole) / float64(over)
		return forecast{known: true, percent: min(percent, 999), runsOut: percent > 100}
	}},
	// The lower one of the average rate and that of the last days.
	{"lower of two", func(s sight) forecast {
		used, total, over, whole := s.figures()
		rate := used / float64(over)
		begin := s.at.Add(-s.cycle.recent)
		if i := slices.IndexFunc(s.seen, func(x pace.Sample) bool { return x.At.After(begin) }); i > 0 {
			before, _ := s.seen[i-1].Used.Float()
			rate = min(rate, max(0, used-before)/float64(s.at.Sub(s.seen[i-1].At)))
		}
		percent := 100 * (used + rate*float64(whole-over)) / total
		early := over < whole/10
		return forecast{known: true, percent: min(percent, 999), runsOut: percent > 100 && !early}
	}},
}

func (s sight) figures() (used, total float64, over, whole time.Duration) {
	used, _ = s.meter.Used.Float()
	total, _ = s.meter.Total.Float()
	return used, total, s.at.Sub(s.meter.Window.Start), s.meter.Window.End.Sub(s.meter.Window.Start)
}
