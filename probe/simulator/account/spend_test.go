package account

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

var noon = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

// spending is a Clock of a lapse that began at start.
func spending(start time.Time, passed time.Duration) Clock {
	return Clock{Start: start, Now: start.Add(passed), Spending: true}
}

// spentAt is a scenario's plan in a lapse, at a time of its clock.
func spentAt(s Scenario, c Clock) *pb.PlanStatus {
	p := s.plan(c)
	c.spend(p, s.pace)
	return p
}

// A pool is the use of a figure, in its own units.
type pool struct {
	name        string
	used, whole int64
	// end is when the pool is refilled; zero for never.
	end int64
}

// pools are the pools of the plan.
func pools(p *pb.PlanStatus) []pool {
	cycle := p.GetPlanEnd().GetSeconds()
	return slices.DeleteFunc([]pool{
		{"prompt", int64(p.GetUsedPromptCredits()), int64(p.GetAvailablePromptCredits()), cycle},
		{"flex", int64(p.GetUsedFlexCredits()), int64(p.GetAvailableFlexCredits()), 0},
		{"daily", int64(100 - p.GetDailyQuotaRemainingPercent()), 100, p.GetDailyQuotaResetAtUnix()},
		{"weekly", int64(100 - p.GetWeeklyQuotaRemainingPercent()), 100, p.GetWeeklyQuotaResetAtUnix()},
		{"acu", int64(p.GetAcuConsumed()*1e4 + 0.5), int64(p.GetAcuLimit() * 1e4), cycle},
		// Money is added at the end of a week and spent in between.
		{"balance", -p.GetOverageBalanceMicros(), 10_000_000, p.GetWeeklyQuotaResetAtUnix()},
	}, func(of pool) bool {
		return of.whole <= 0 || (p.GetWeeklyQuotaResetAtUnix() == 0) == slices.Contains([]string{"daily", "weekly", "balance"}, of.name)
	})
}

// For any start of a lapse and any times of the look, use grows within a window, never
// exceeds the pool, and is zero at the start of a window.
func TestSpendInvariants(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		start := noon.Add(time.Duration(random.Int64N(int64(1000 * day))))
		for _, s := range scenarios {
			if s.pace.perDay == 0 {
				continue
			}
			at := make([]time.Duration, 60)
			for i := range at {
				at[i] = time.Duration(random.Int64N(int64(100 * day)))
			}
			slices.Sort(at)
			var last []pool
			for _, at := range at {
				all := pools(spentAt(s, spending(start, at)))
				for i, p := range all {
					if p.used > p.whole || p.used < 0 && p.name != "balance" {
						t.Fatalf("%s from %v: %+v after %v", s.Name, start, p, at)
					}
					if last != nil && last[i].end == p.end && p.used < last[i].used {
						t.Fatalf("%s from %v: %+v after %v, %+v before", s.Name, start, p, at, last[i])
					}
					if p.end == 0 || p.name == "balance" {
						continue
					}
					reset := time.Unix(p.end, 0).Sub(start)
					if p := pools(spentAt(s, spending(start, reset)))[i]; p.used != 0 {
						t.Fatalf("%s from %v: %+v at its reset after %v", s.Name, start, p, reset)
					}
				}
				last = all
			}
		}
	}
}

// The end of one window does not change the other pools: they are equal at a reset and
// just before it.
func TestSpendAcrossResets(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		if s.pace.perDay == 0 {
			continue
		}
		start := NewLapse(noon, s.Speed()).Start
		for passed := time.Duration(0); passed < 2*month; {
			var next int64
			for _, p := range pools(spentAt(s, spending(start, passed))) {
				if p.end != 0 && (next == 0 || p.end < next) {
					next = p.end
				}
			}
			reset := time.Unix(next, 0).Sub(start)
			before := pools(spentAt(s, spending(start, reset-1)))
			after := pools(spentAt(s, spending(start, reset)))
			for i := range after {
				const second = 300 // micros of extra usage
				if spent := after[i].used - before[i].used; before[i].end != next && (spent < 0 || spent > second) {
					t.Errorf("%s: %+v before %v, %+v after", s.Name, before[i], start.Add(reset), after[i])
				}
			}
			passed = reset
		}
	}
}

func TestSpendBeginsWithTheScenario(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		for _, start := range []time.Time{noon, NewLapse(noon, s.Speed()).Start} {
			still := s.Answer(Clock{Start: start, Now: start}, "")
			moved := s.Answer(Clock{Start: start, Now: start, Spending: true}, "")
			if !proto.Equal(still, moved) {
				t.Errorf("%s: %v", s.Name, moved.GetUserStatus().GetPlanStatus())
			}
		}
	}
}

func TestSpendUnlimited(t *testing.T) {
	t.Parallel()
	s, err := Named("unlimited")
	if err != nil {
		t.Fatal(err)
	}
	now := noon.Add(100 * day)
	if still := s.Answer(Clock{Start: noon, Now: now}, ""); !proto.Equal(still.GetUserStatus().GetPlanStatus(), spentAt(s, spending(noon, 100*day))) {
		t.Error("it moves")
	}
}
