package simulator

import (
	"math/rand/v2"
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// price sets what the past turns of the cascades cost on a plan: by their models, and in
// the plan's windows about as much as the scenario says is used there, never more.
func (c *cascades) price(plan *pb.PlanStatus, start time.Time) {
	copies := map[uint64][]*turn{} // a branched cascade's cost what their originals do
	var all []*turn
	for _, one := range c.all {
		for _, t := range one.Turns {
			if copies[t.Past.Seed] == nil {
				t.Cost.Unit = account.PastUnit(plan, t.Date, start)
				random := rand.New(rand.NewPCG(t.Past.Seed, 0)) //nolint:gosec // made-up data
				t.Past.Minor = int64(natural[t.Cost.Unit] * multiplier(t.Model) * (0.5 + random.Float64()))
				all = append(all, t)
			}
			copies[t.Past.Seed] = append(copies[t.Past.Seed], t)
		}
	}
	for _, limit := range account.PastLimits(plan, start) {
		counts := func(t *turn) bool {
			return t.Cost.Unit == limit.Unit && !t.Date.Before(limit.From) && t.Date.Before(limit.Until)
		}
		var sum int64
		for _, t := range all {
			if counts(t) {
				sum += t.Past.Minor
			}
		}
		most := min(int64(limit.Amount*minors[limit.Unit]), sum*dearest)
		for _, t := range all {
			if sum > 0 && counts(t) {
				t.Past.Minor = t.Past.Minor * most / sum
			}
		}
	}
	for _, t := range all {
		for _, other := range copies[t.Past.Seed] {
			other.Cost, other.Past.Minor = t.Cost, t.Past.Minor
		}
	}
}

// dearest is how much more than by its model a turn may cost, where the plan has used
// that much.
const dearest = 4

// natural is what a turn costs by a model of multiplier 1, in minor units.
var natural = map[account.Unit]float64{account.Credits: 100, account.ACUs: 500, account.Quota: 100, account.Dollars: 4}

// multiplier is that of a model; 1 if it is no longer listed.
func multiplier(model string) float64 {
	for _, m := range account.Models().GetClientModelConfigs() {
		if uid(m) == model {
			return float64(m.GetCreditMultiplier())
		}
	}
	return 1
}
