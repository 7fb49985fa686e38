package spend

import "windsock/usage"

// beside puts the costs of cascades beside the meters that they move. All meters of
// credits together are moved by credits; the first of them tells what was spent
// elsewhere. Of the meters of a quota only the first is told: the same use moves the
// others, too.
func beside(all []Moved, costs Costs) (meters []Moved) {
	firsts := map[usage.Unit]int{}
	for _, m := range all {
		info := m.Meter.Info()
		first, others := firsts[info.Unit]
		if !info.PerStep || (others && info.Unit == usage.UnitPercent) {
			continue
		}
		if !others {
			firsts[info.Unit] = len(meters)
			m.Elsewhere = minus(m.Moved, costs.In(info.Unit))
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
