package windsurf

import (
	"time"

	"windsock/usage"
	"windsock/usage/field"
)

// mode is the plan's billing mode: the strategy, else what the fields show. A balance
// alone shows nothing.
func (a *answer) mode() usage.Billing {
	switch {
	case a.strategy != usage.BillingUnknown:
		return a.strategy
	case a.daily.seen() || a.weekly.seen():
		return usage.BillingQuota
	case applies(a.consumed) || applies(a.limit):
		return usage.BillingACU
	case a.prompt.seen() || a.flex.seen() || a.flow.seen():
		return usage.BillingCredits
	default:
		return usage.BillingUnknown
	}
}

func (q quota) seen() bool { return q.percent.There || !q.reset.IsZero() }

func (p pool) seen() bool { return p.total.There || p.used.There || p.remaining.There }

// applies reports whether a figure is present and not −1, which means "not applicable".
func applies(f field.Figure) bool { return f.There && !f.Amount.Negative() }

// billing is the mode, or BillingUnlimited for a plan with only unlimited credit lines.
func (a *answer) billing(meters []usage.Meter) usage.Billing {
	lines, unlimited := 0, 0
	for _, m := range meters {
		if m.Unit != usage.UnitCredits {
			continue
		}
		lines++
		if m.State == usage.StateUnlimited {
			unlimited++
		}
	}
	if lines > 0 && lines == unlimited {
		return usage.BillingUnlimited
	}
	return a.mode()
}

// ledger collects meters, and the problems found on the way.
type ledger struct {
	meters   []usage.Meter
	problems []usage.Problem
}

// meters returns the meters of the plan's mode.
func (a *answer) meters() ([]usage.Meter, []usage.Problem) {
	var l ledger
	switch a.mode() {
	case usage.BillingCredits:
		l.credits(usage.NewMeter(usage.PromptCredits, a.cycle), a.prompt, a.cached)
		// Flex credits are bought once and never reset; their pool has no monthly
		// grant.
		l.credits(usage.NewMeter(usage.FlexCredits, usage.Window{}), a.flex, a.cached)
		l.flow(a)
	case usage.BillingQuota:
		l.quota(usage.DailyQuota, a.daily, 24*time.Hour, a.cached)
		l.quota(usage.WeeklyQuota, a.weekly, 7*24*time.Hour, a.cached)
	case usage.BillingACU:
		l.acu(a.consumed, a.limit, a.monthly())
	case usage.BillingUnknown, usage.BillingUnlimited, usage.BillingSpend, usage.BillingRequests:
	}
	l.balance(a.balance)
	return l.meters, l.problems
}

func (l *ledger) add(m usage.Meter) { l.meters = append(l.meters, m) }

// readable reports whether all figures can be read; if not, it adds the meter as
// unreadable and names the fields.
func (l *ledger) readable(m usage.Meter, figures ...field.Figure) bool {
	ok := true
	for _, f := range figures {
		if f.Unreadable() {
			l.problems = append(l.problems, unreadableField(f.Field))
			ok = false
		}
	}
	if !ok {
		l.add(m.Without(usage.StateUnreadable))
	}
	return ok
}

func (l *ledger) credits(m usage.Meter, p pool, cached bool) {
	if cached {
		l.cachedCredits(m, p)
		return
	}
	if !l.readable(m, p.total, p.used) {
		return
	}
	used := p.used.OrZero()
	switch {
	case p.total.Amount.Negative():
		l.add(m.Without(usage.StateUnlimited))
	case p.total.Amount.Positive():
		l.add(m.Of(used, p.total.Amount))
	case used.Positive() && l.readable(m, p.granted):
		// A pool of zero is omitted, and so is one that never existed. The monthly grant
		// distinguishes them once all of it is used.
		if p.granted.Amount.Positive() && used.Millionths() >= p.granted.Amount.Millionths() {
			l.add(m.Of(used, p.granted.Amount))
		}
	}
}

// cachedCredits reads a cache's pool. Zeros are written there: −1 is "not applicable" and
// a missing figure is not metered. A cache never reports unlimited.
func (l *ledger) cachedCredits(m usage.Meter, p pool) {
	direct := applies(p.used)
	use := p.remaining
	if direct {
		use = p.used
	}
	if !l.readable(m, p.total, use) || !p.total.Amount.Positive() {
		return
	}
	switch {
	case direct:
		l.add(m.Of(p.used.Amount, p.total.Amount))
	case !applies(p.remaining):
	case p.remaining.Amount.Millionths() > p.total.Amount.Millionths():
		l.readable(m, field.Figure{Field: p.remaining.Field, There: true})
	default:
		l.add(m.Of(p.total.Amount.Minus(p.remaining.Amount), p.total.Amount))
	}
}

// flow adds flow credits, which are obsolete: a server still sends the pool to plans
// that no longer grant any.
func (l *ledger) flow(a *answer) {
	m := usage.NewMeter(usage.FlowCredits, a.cycle)
	p := a.flow
	if a.cached || !p.granted.There || !l.readable(m, p.granted) || !p.granted.Amount.Positive() {
		return
	}
	// Only for prompt credits does a missing pool mean used up.
	p.granted = field.Figure{}
	l.credits(m, p, false)
}

func (l *ledger) quota(id usage.MeterID, q quota, length time.Duration, cached bool) {
	if q.hidden || (!q.percent.There && (cached || q.reset.IsZero())) {
		return
	}
	m := usage.NewMeter(id, usage.Window{})
	if !q.reset.IsZero() {
		m.Window = usage.Window{Start: q.reset.Add(-length), End: q.reset}
	}
	whole := usage.Micros(100 * usage.One)
	// A percentage below 0 is invalid too: −1 is "not applicable" in every field beside
	// it, and must not show the quota as used up.
	if p := q.percent.Amount; p.Negative() || p.Millionths() > whole.Millionths() {
		q.percent.Amount = usage.Amount{}
	}
	if !l.readable(m, q.percent) {
		return
	}
	// Zero per cent is omitted on the wire, so a reset without a percentage means a
	// used-up quota.
	l.add(m.Of(whole.Minus(q.percent.OrZero()), whole))
}

// monthly is the cycle of ACUs. A longer one is the time of a contract, at whose end they
// need not reset (PROTOCOL.md 6.4).
func (a *answer) monthly() usage.Window {
	if !a.cycle.Start.IsZero() && a.cycle.End.Sub(a.cycle.Start) > 31*24*time.Hour {
		return usage.Window{}
	}
	return a.cycle
}

func (l *ledger) acu(consumed, limit field.Figure, cycle usage.Window) {
	m := usage.NewMeter(usage.ACU, cycle)
	if !l.readable(m, consumed, limit) {
		return
	}
	switch {
	case applies(consumed) && limit.Amount.Positive():
		l.add(m.Of(consumed.Amount, limit.Amount))
	case applies(consumed):
		m.State, m.Used = usage.StateOK, consumed.Amount
		l.add(m)
	case limit.Amount.Positive():
		// The field has presence: missing is unknown, not zero.
		l.problems = append(l.problems, missingField(consumed.Field, limit.Field))
		l.add(m.Without(usage.StateUnreadable))
	}
}

func (l *ledger) balance(f field.Figure) {
	m := usage.NewMeter(usage.ExtraUsage, usage.Window{})
	if !f.There || !l.readable(m, f) {
		return
	}
	m.State, m.Remaining = usage.StateOK, f.Amount
	l.add(m)
}
