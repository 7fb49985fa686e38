package pace_test

import (
	"math"
	"time"
)

// quarters are the elapsed shares of a month at which a forecast is checked.
var quarters = []float64{0.25, 0.5, 0.75}

// ahead is how long before a run-out a warning must stand.
const ahead = 24 * time.Hour

// A forecast is a rule's result for a sight: the share of the plan used in the end, in
// percent, and whether it warns. It is unknown when the plan is used up or unused, or
// when it is too early.
type forecast struct {
	known   bool
	percent float64
	runsOut bool
}

// score is the quality of a rule.
type score struct {
	// off is the sum of the forecasts' errors, in points of the plan; looks is their
	// number.
	off   float64
	looks int
	// alarms are forecasts of a run-out among the looks at cycles that last.
	alarms, lasting int
	// warned counts warnings a day ahead, runOuts the cycles that run out later than a
	// day after their start.
	warned, runOuts int
}

// moments are the times at which a cycle is checked: the quarters, then a day before
// its run-out, if there is one.
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

// add scores a rule by the sights of a cycle at its moments. A sight of a plan that is
// used up, or not used yet, is no forecast for any rule.
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

// figures are the three that count: the mean error in points, and the shares of false
// alarms and of timely warnings, in percent.
type figures struct{ off, falsely, warned float64 }

func (s *score) figures() figures {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	return figures{s.off / float64(max(1, s.looks)), share(s.alarms, s.lasting), share(s.warned, s.runOuts)}
}

// mean is the mean over the kinds, with equal weight. A kind adds nothing to a figure
// when no cycle or every cycle runs out.
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
