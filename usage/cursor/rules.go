package cursor

import (
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// ledger collects the meters of the answers, in the order of the table, and what was
// found on the way.
type ledger struct {
	cycle    usage.Window
	billing  usage.Billing
	meters   []usage.Meter
	problems []usage.Problem
	facts    usage.Facts
}

// read applies the rules. What a plan is counted in is told by the first that has a figure:
// requests, pools in per cent, all of it in per cent, dollars.
func (l *ledger) read(a answers) {
	l.billing = usage.BillingUnknown
	personal := field.Inner(a.summary, "individualUsage")
	plans := []gjson.Result{field.Inner(personal, "plan"), field.Inner(a.period, "planUsage")}
	l.requests(a.counters)
	switch {
	case l.pools(plans):
	case l.share(plans):
	case l.spend(append(plans, field.Inner(personal, "overall"))):
	case l.billing == usage.BillingUnknown && l.flag(a.summary, "isUnlimited"):
		// A figure beats the flag.
		m := usage.NewMeter(usage.Included, l.cycle)
		m.Unit = usage.UnitUSD
		l.add(usage.BillingUnlimited, m.Without(usage.StateUnlimited))
	}
	l.onDemand(a, personal)
}

// add appends a meter. The first one decides what the plan is counted in.
func (l *ledger) add(b usage.Billing, m usage.Meter) {
	l.meters = append(l.meters, m)
	if l.billing == usage.BillingUnknown {
		l.billing = b
	}
}

// unread says that a field is there and cannot be read.
func (l *ledger) unread(name string) {
	l.problems = append(l.problems, usage.Problem{Code: usage.CodeUnreadableField, Message: "The field " + name + " could not be read."})
}

// flag reads a boolean; false is left out on the wire.
func (l *ledger) flag(object gjson.Result, name string) bool {
	value, ok := field.ReadFlag(object, name)
	if !ok {
		l.unread(name)
	}
	return value
}

// requests adds the meter of the counter with the largest allowance: a model of its own
// may have a small one. Plans that are not counted in requests have counters, too, which
// have stood at 0 since June 2025.
func (l *ledger) requests(counters gjson.Result) {
	var used, allowance field.Figure
	counters.ForEach(func(_, counter gjson.Result) bool {
		f := field.ReadFigure(counter, "maxRequestUsage", field.Whole)
		if counter.IsObject() && f.Amount.Positive() && f.Amount.Millionths() > allowance.Amount.Millionths() {
			used, allowance = field.ReadFigure(counter, "numRequests", field.Whole), f
		}
		return true
	})
	m := usage.NewMeter(usage.Requests, l.cycle)
	switch {
	case !allowance.There:
		return
	case used.Amount.Known():
		m = m.Of(used.OrZero(), allowance.Amount)
	default:
		l.unread(used.Field)
		m = m.Without(usage.StateUnreadable)
	}
	l.add(usage.BillingRequests, m)
}

// pools adds the two pools that the dashboard shows, and reports whether there is one.
func (l *ledger) pools(plans []gjson.Result) bool {
	cursors, others := first(plans, "autoPercentUsed"), first(plans, "apiPercentUsed")
	l.percent(usage.CursorModels, cursors)
	l.percent(usage.OtherModels, others)
	return cursors.There || others.There
}

// share adds the share of all that is included. The dashboard does not show it beside
// pools: a used-up pool can hide in it.
func (l *ledger) share(plans []gjson.Result) bool {
	total := first(plans, "totalPercentUsed")
	l.percent(usage.Included, total)
	return total.There
}

// first is the figure of the first object that has the field, in whole units.
func first(objects []gjson.Result, name string) field.Figure {
	for _, object := range objects {
		if f := field.ReadFigure(object, name, field.Whole); f.There {
			return f
		}
	}
	return field.Figure{Field: name}
}

// percent adds a meter of a used share. Zero is written: a missing share is unknown. It
// may be above 100.
func (l *ledger) percent(id usage.MeterID, used field.Figure) {
	if !used.There {
		return
	}
	m := usage.NewMeter(id, l.cycle)
	if !used.Amount.Known() || used.Amount.Negative() {
		l.unread(used.Field)
		l.add(usage.BillingQuota, m.Without(usage.StateUnreadable))
		return
	}
	l.add(usage.BillingQuota, m.Of(used.Amount, usage.Micros(100*usage.One)))
}

// spend adds what is included in dollars, of the first object with a limit.
func (l *ledger) spend(objects []gjson.Result) bool {
	for _, object := range objects {
		limit := cents(object, "limit")
		if off(object) || !limit.Amount.Positive() {
			continue
		}
		m := usage.NewMeter(usage.Included, l.cycle)
		m.Unit = usage.UnitUSD
		if used := l.spent(object, limit.Amount); used.Known() {
			m = m.Of(used, limit.Amount)
		} else {
			m = m.Without(usage.StateUnreadable)
		}
		l.add(usage.BillingSpend, m)
		return true
	}
	return false
}

// spent is what is spent of a limit. It is unknown when no field tells it: nothing spent
// and nothing left, which are both left out, cannot both be true. The total is the last
// choice, since it includes what is given on top.
func (l *ledger) spent(object gjson.Result, limit usage.Amount) usage.Amount {
	for _, name := range []string{"used", "includedSpend", "remaining", "totalSpend"} {
		f := cents(object, name)
		switch {
		case f.Unreadable():
			l.unread(name)
		case !f.There:
		case name == "remaining" && f.Amount.Millionths() <= limit.Millionths():
			return usage.Micros(limit.Millionths() - f.Amount.Millionths())
		case name != "remaining":
			return f.OrZero()
		}
	}
	return usage.Amount{}
}

// onDemand adds what the person has spent on demand in the cycle, unless that is off.
func (l *ledger) onDemand(a answers, personal gjson.Result) {
	if l.flag(a.hardLimit, "noUsageBasedAllowed") {
		l.facts.OnDemandOff = true
		return
	}
	budget := field.Inner(personal, "onDemand")
	used, limit, remaining := cents(budget, "used"), cents(budget, "limit"), cents(budget, "remaining")
	if !budget.Exists() { // the other form does not tell whether it is on
		of := field.Inner(a.period, "spendLimitUsage")
		used, limit, remaining = cents(of, "individualUsed"), cents(of, "individualLimit"), cents(of, "individualRemaining")
	}
	if off(budget) {
		return
	}
	team := cents(field.Inner(field.Inner(a.summary, "teamUsage"), "onDemand"), "limit")
	l.facts.OnDemandWithoutLimit = l.flag(budget, "enabled") && !limit.There && !team.Amount.Positive()
	m := usage.NewMeter(usage.OnDemand, l.cycle)
	switch {
	case used.Unreadable() || limit.Unreadable():
		for _, f := range []field.Figure{used, limit} {
			if f.Unreadable() {
				l.unread(f.Field)
			}
		}
		l.add(usage.BillingUnknown, m.Without(usage.StateUnreadable))
	case limit.Amount.Positive():
		if spent := spentOf(limit, used, remaining); spent.Known() {
			l.add(usage.BillingUnknown, m.Of(spent, limit.Amount))
		} else {
			l.add(usage.BillingUnknown, m.Without(usage.StateUnreadable))
		}
	case used.Amount.Positive():
		m.State, m.Used = usage.StateOK, used.Amount
		l.add(usage.BillingUnknown, m)
	}
}

// spentOf is what is spent of a limit. A use of 0 gives way to what is left: some answers
// have a use of 0 beside less left than the limit.
func spentOf(limit, used, remaining field.Figure) usage.Amount {
	spent := limit.Amount.Millionths() - remaining.Amount.Millionths()
	switch {
	case used.Amount.Positive():
		return used.Amount
	case remaining.Amount.Known() && spent >= 0:
		return usage.Micros(spent)
	case used.Amount.Known():
		return used.OrZero()
	default:
		return usage.Amount{}
	}
}

func cents(object gjson.Result, name string) field.Figure {
	return field.ReadFigure(object, name, field.Hundredths)
}

// off reports whether an allowance says that it is off. Where it does not say, it is on.
func off(object gjson.Result) bool {
	_, there := field.Present(object, "enabled")
	on, ok := field.ReadFlag(object, "enabled")
	return there && ok && !on
}
