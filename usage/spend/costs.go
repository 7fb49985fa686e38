package spend

import "windsock/usage"

// Units are those of the costs, one each, in the order in which rows are compared.
func Units() []usage.Unit {
	return []usage.Unit{usage.UnitCredits, usage.UnitACU, usage.UnitPercent, usage.UnitUSD}
}

// In is the cost that has this unit; unknown for a unit that no cost has.
func (c Costs) In(unit usage.Unit) usage.Amount {
	switch unit {
	case usage.UnitCredits:
		return c.Credits
	case usage.UnitACU:
		return c.ACU
	case usage.UnitPercent:
		return c.QuotaPercent
	case usage.UnitUSD:
		return c.OverageUSD
	default:
		return usage.Amount{}
	}
}

// Told are the units of the costs that are known.
func (c Costs) Told() []usage.Unit {
	var told []usage.Unit
	for _, unit := range Units() {
		if c.In(unit).Known() {
			told = append(told, unit)
		}
	}
	return told
}

// Unit is that of the cost that the dearest is found by, and that bars are drawn of: the
// first that is above zero, else the first that is known, "" without any. It is a
// Report's Total that is asked for it, so that all rows are compared by one cost.
func (c Costs) Unit() usage.Unit {
	told := c.Told()
	for _, unit := range told {
		if c.In(unit).Positive() {
			return unit
		}
	}
	if len(told) > 0 {
		return told[0]
	}
	return ""
}

// Paid are the units of the costs that are shown: the one that rows are compared by, and
// those in which anything was paid besides.
func (c Costs) Paid() []usage.Unit {
	compared := c.Unit()
	if compared == "" {
		return nil
	}
	paid := []usage.Unit{compared}
	for _, unit := range c.Told() {
		if unit != compared && c.In(unit).Positive() {
			paid = append(paid, unit)
		}
	}
	return paid
}
