package spend

import "windsock/usage"

// cost is the figure of a kind of cost.
func (c Costs) cost(kind usage.Cost) usage.Amount {
	switch kind {
	case usage.CostCredits:
		return c.Credits
	case usage.CostACU:
		return c.ACU
	case usage.CostQuota:
		return c.QuotaPercent
	case usage.CostOverage:
		return c.OverageUSD
	default:
		return usage.Amount{}
	}
}

// beside puts the costs of cascades beside the meters that they move. All meters of
// credits together are moved by credits; the first of them tells what was spent
// elsewhere. Of the meters of a quota only the first is told: the same use moves the
// others, too.
func beside(all []Moved, total Figures) (meters []Moved) {
	firsts := map[usage.Cost]int{}
	for _, m := range all {
		kind := m.Meter.Info().Cost
		first, others := firsts[kind]
		if kind == usage.CostNone || (others && kind == usage.CostQuota) {
			continue
		}
		if !others {
			first = len(meters)
			firsts[kind] = first
			m.Elsewhere = minus(m.Moved, total.cost(kind))
			meters = append(meters, m)
			continue
		}
		meters = append(meters, m)
		// What is unknown of one is unknown of all together.
		if elsewhere := meters[first].Elsewhere; elsewhere.Known() && m.Moved.Known() {
			meters[first].Elsewhere = plus(elsewhere, m.Moved)
		} else {
			meters[first].Elsewhere = usage.Amount{}
		}
	}
	return meters
}

func minus(a, b usage.Amount) usage.Amount {
	if !a.Known() || !b.Known() {
		return usage.Amount{}
	}
	return a.Minus(b)
}
