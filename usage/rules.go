package usage

import "time"

// mode is what the plan is counted in: what the strategy says, else what the
// fields show. A balance alone shows nothing.
func (a *answer) mode() Billing {
	switch {
	case a.strategy != BillingUnknown:
		return a.strategy
	case a.daily.seen() || a.weekly.seen():
		return BillingQuota
	case applies(a.consumed) || applies(a.limit):
		return BillingACU
	case a.prompt.seen() || a.flex.seen() || a.flow.seen():
		return BillingCredits
	default:
		return BillingUnknown
	}
}

func (q quota) seen() bool { return q.percent.there || !q.reset.IsZero() }

func (p pool) seen() bool { return p.total.there || p.used.there || p.remaining.there }

// applies reports a figure that is there and not the −1 of "not applicable".
func applies(f figure) bool { return f.there && !f.amount.negative() }

// billing is the mode, but for a plan on which every credit line is unlimited.
func (a *answer) billing(meters []Meter) Billing {
	lines, unlimited := 0, 0
	for _, m := range meters {
		if m.Unit != UnitCredits {
			continue
		}
		lines++
		if m.State == StateUnlimited {
			unlimited++
		}
	}
	if lines > 0 && lines == unlimited {
		return BillingUnlimited
	}
	return a.mode()
}

// ledger collects meters, and the problems met on the way.
type ledger struct {
	meters   []Meter
	problems []Problem
}

// meters makes the meters that the plan's mode has.
func (a *answer) meters() ([]Meter, []Problem) {
	var l ledger
	switch a.mode() {
	case BillingCredits:
		l.credits(Meter{ID: PromptCredits, Unit: UnitCredits, Window: a.cycle}, a.prompt, a.cached)
		// Flex credits are bought once and never reset; their pool has no
		// monthly grant.
		l.credits(Meter{ID: FlexCredits, Unit: UnitCredits}, a.flex, a.cached)
		l.flow(a)
	case BillingQuota:
		l.quota(DailyQuota, a.daily, 24*time.Hour, a.cached)
		l.quota(WeeklyQuota, a.weekly, 7*24*time.Hour, a.cached)
	case BillingACU:
		l.acu(a.consumed, a.limit, a.cycle)
	case BillingUnknown, BillingUnlimited:
	}
	l.balance(a.balance)
	return l.meters, l.problems
}

func (l *ledger) add(m Meter) { l.meters = append(l.meters, m) }

// readable reports whether all figures can be read; if not, it enters the
// meter as unreadable and names the fields.
func (l *ledger) readable(m Meter, figures ...figure) bool {
	ok := true
	for _, f := range figures {
		if f.unreadable() {
			l.problems = append(l.problems, unreadableField(f.field))
			ok = false
		}
	}
	if !ok {
		l.add(m.without(StateUnreadable))
	}
	return ok
}

func (l *ledger) credits(m Meter, p pool, cached bool) {
	if cached {
		l.cachedCredits(m, p)
		return
	}
	if !l.readable(m, p.total, p.used) {
		return
	}
	used := p.used.orZero()
	switch {
	case p.total.amount.negative():
		l.add(m.without(StateUnlimited))
	case p.total.amount.positive():
		l.add(m.of(used, p.total.amount))
	case used.positive() && l.readable(m, p.granted):
		// A pool of zero is omitted, and so is one that never was. The plan's
		// monthly grant tells them apart once all of it is used.
		if p.granted.amount.positive() && used.micros >= p.granted.amount.micros {
			l.add(m.of(used, p.granted.amount))
		}
	}
}

// cachedCredits reads a pool where zeros are written: −1 is "not applicable"
// and a figure that is missing is not metered. A cache never says unlimited.
func (l *ledger) cachedCredits(m Meter, p pool) {
	direct := applies(p.used)
	use := p.remaining
	if direct {
		use = p.used
	}
	if !l.readable(m, p.total, use) || !p.total.amount.positive() {
		return
	}
	switch {
	case direct:
		l.add(m.of(p.used.amount, p.total.amount))
	case !applies(p.remaining):
	case p.remaining.amount.micros > p.total.amount.micros:
		l.readable(m, figure{field: p.remaining.field, there: true})
	default:
		l.add(m.of(p.total.amount.minus(p.remaining.amount), p.total.amount))
	}
}

// flow credits are a thing of the past: a server goes on sending the pool to
// plans that no longer grant any.
func (l *ledger) flow(a *answer) {
	m := Meter{ID: FlowCredits, Unit: UnitCredits, Window: a.cycle}
	p := a.flow
	if a.cached || !p.granted.there || !l.readable(m, p.granted) || !p.granted.amount.positive() {
		return
	}
	// Only prompt credits are known to be used up when their pool is missing.
	p.granted = figure{}
	l.credits(m, p, false)
}

func (l *ledger) quota(id MeterID, q quota, length time.Duration, cached bool) {
	if q.hidden || (!q.percent.there && (cached || q.reset.IsZero())) {
		return
	}
	m := Meter{ID: id, Unit: UnitPercent}
	if !q.reset.IsZero() {
		m.Window = Window{Start: q.reset.Add(-length), End: q.reset}
	}
	whole := Micros(100 * one)
	// Below 0 is no share either: −1 is "not applicable" in every field beside it,
	// and nobody is to be told that a quota is used up because of that.
	if p := q.percent.amount; p.negative() || p.micros > whole.micros {
		q.percent.amount = Amount{}
	}
	if !l.readable(m, q.percent) {
		return
	}
	// Zero per cent is omitted on the wire, so a reset without a percentage is
	// a quota that is used up.
	l.add(m.of(whole.minus(q.percent.orZero()), whole))
}

func (l *ledger) acu(consumed, limit figure, cycle Window) {
	m := Meter{ID: ACU, Unit: UnitACU, Window: cycle}
	if !l.readable(m, consumed, limit) {
		return
	}
	switch {
	case applies(consumed) && limit.amount.positive():
		l.add(m.of(consumed.amount, limit.amount))
	case applies(consumed):
		m.State, m.Used = StateOK, consumed.amount
		l.add(m)
	case limit.amount.positive():
		// The field has presence: missing is unknown, not zero.
		l.problems = append(l.problems, missingField(consumed.field, limit.field))
		l.add(m.without(StateUnreadable))
	}
}

func (l *ledger) balance(f figure) {
	m := Meter{ID: ExtraUsage, Unit: UnitUSD}
	if !f.there || !l.readable(m, f) {
		return
	}
	m.State, m.Remaining = StateOK, f.amount
	l.add(m)
}
