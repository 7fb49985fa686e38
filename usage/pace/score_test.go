package pace_test

import (
	"math"
	"time"
)

// quarters are how far months are when a forecast is looked at.
var quarters = []float64{0.25, 0.5, 0.75}

// ahead is how long before a run-out there has to be a warning.
const ahead = 24 * time.Hour

// A forecast is what a rule makes of a sight: the share of the plan that is used in
// the end, in percent, and whether it warns. Not known where the plan is used up
// or unused, or where it is too early.
type forecast struct {
	known   bool
	percent float64
	runsOut bool
}

// score is how well a rule does.
type score struct {
	// off is the sum of what forecasts were off by, in points of the plan, of so
	// many looks.
	off   float64
	looks int
	// alarms are forecasts of a run-out among the looks at cycles that last.
	alarms, lasting int
	// warned are those that were warned of, a day ahead, among the cycles that
	// run out later than that.
	warned, runOuts int
}

// moments are those at which a cycle is looked at: the quarters, and then the
// day ahead of its run-out, if there is one.
func (c *cycle) moments() []time.Time {
	var all []time.Time
	for _, q := range quarters {
		all = append(all, c.Start.Add(time.Duration(q*float64(c.End.Sub(c.Start)))))
	}
	if c.out.Sub(c.Start) > ahead {
		all = append(all, c.out.Add(-ahead))
	}
	return all
}

// add counts what a rule makes of the sights of a cycle at its moments. A look at
// a plan that is used up, or not used yet, is no forecast for any rule.
func (s *score) add(c *cycle, sights []*sight, judge func(*sight) forecast) {
	for _, seen := range sights[:len(quarters)] {
		if seen == nil || c.used(seen.at) == 0 || (!c.out.IsZero() && !seen.at.Before(c.out)) {
			continue
		}
		f := judge(seen)
		if f.known {
			s.off += math.Abs(f.percent - min(999, 100*c.demand/c.total))
			s.looks++
		}
		if c.out.IsZero() {
			s.lasting++
			if f.runsOut {
				s.alarms++
			}
		}
	}
	if len(sights) > len(quarters) {
		s.runOuts++
		if seen := sights[len(quarters)]; seen != nil && judge(seen).runsOut {
			s.warned++
		}
	}
}

// figures are the three that count: the mean error in points, and the shares of
// false alarms and of warnings in time, in percent.
type figures struct{ off, falsely, warned float64 }

func (s *score) figures() figures {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	return figures{s.off / float64(max(1, s.looks)), share(s.alarms, s.lasting), share(s.warned, s.runOuts)}
}

// mean is that of the kinds, each of which counts alike. Where no cycle runs out,
// or all do, a kind has nothing to add.
func mean(all []score) figures {
	var sum, n figures
	for i := range all {
		s := &all[i]
		f := s.figures()
		sum.off, n.off = sum.off+f.off, n.off+1
		if s.lasting > 0 {
			sum.falsely, n.falsely = sum.falsely+f.falsely, n.falsely+1
		}
		if s.runOuts > 0 {
			sum.warned, n.warned = sum.warned+f.warned, n.warned+1
		}
	}
	return figures{sum.off / n.off, sum.falsely / n.falsely, sum.warned / n.warned}
}
