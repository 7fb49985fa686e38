package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// extra is the money that is spent while quotas are used up: extra usage, or what is
// bought on demand.
type extra struct {
	// Base is the highest balance so far, or the limit of what is bought on demand, in
	// millionths of a dollar.
	Base int64 `json:"base,omitempty"`
	// Told is the last step shown, 0 for none.
	Told int `json:"told,omitempty"`
	// Until is when the last of the used-up quotas is back.
	Until time.Time `json:"until,omitzero"`
}

type debt struct {
	Told bool `json:"told,omitempty"`
	// ClearSince is the first fetch without a debt.
	ClearSince time.Time `json:"clear_since,omitzero"`
}

type topUp struct {
	Seen bool `json:"seen,omitempty"`
	// Spent is the last figure shown, or the first one seen.
	Spent int64 `json:"spent,omitempty"`
	// Less is the lowest figure since LessSince: a new month, if it lasts.
	Less      int64     `json:"less,omitempty"`
	LessSince time.Time `json:"less_since,omitzero"`

	// ShownNow says that this run has shown Spent.
	ShownNow bool `json:"-"`
}

// money is the meter of what is spent beyond the plan, with a figure.
func money(s usage.Snapshot) (usage.Meter, bool) {
	for _, m := range s.Meters {
		if m.ID == usage.ExtraUsage && m.Remaining.Known() || m.ID == usage.OnDemand && m.Used.Known() {
			return m, true
		}
	}
	return usage.Meter{}, false
}

// begun is the step at which money has just begun to be spent.
const begun = 1

// extraUsage returns alerts about the money that is spent while a quota is used up.
func (p *plan) extraUsage(s usage.Snapshot, now time.Time) []Alert {
	m, known := money(s)
	usedUp, until := p.usedUp(s)
	if !known || !usedUp {
		return nil
	}
	_, pays := s.Payer()
	e := &p.Extra
	if !e.Until.IsZero() && !now.Before(e.Until) {
		*e = extra{}
	}
	whole := m.Remaining.Millionths()
	if m.ID == usage.OnDemand {
		whole = m.Total.Millionths()
	}
	if pays && whole > e.Base {
		e.Base, e.Told = whole, min(e.Told, begun)
	}
	if m.ID == usage.OnDemand {
		e.Base = whole // a limit may fall, too
	}
	endless := pays && !m.Remaining.Known()
	if e.Base == 0 && !endless {
		return nil
	}
	switch {
	case !until.IsZero():
		e.Until = until
	case e.Until.IsZero():
		e.Until = now.Add(week)
	}
	base, step := e.Base, begun
	if !endless {
		step = stepOf(m.Remaining.Millionths(), base)
	}
	if step <= e.Told {
		return nil
	}
	a := Alert{Kind: KindExtraUsageSpent, Meter: m.ID, Step: step, base: usage.Micros(base)}
	a.holds = func(s usage.Snapshot) bool { return e.Told >= step && mayPay(s) }
	switch step {
	case begun:
		a.Kind, a.Step = KindOnExtraUsage, 0
	case 100:
		a.Kind, a.Step = KindExhausted, 0
	}
	a.told = func() {
		if e.Base == base { // no more was bought while it was shown
			e.Told = max(e.Told, step)
		}
	}
	return []Alert{a}
}

// usedUp reports whether a quota is used up, and when the last of them is back; zero if
// unknown.
func (p *plan) usedUp(s usage.Snapshot) (usedUp bool, until time.Time) {
	for _, m := range s.Meters {
		if !m.GivesWay() {
			continue
		}
		usedUp = true
		if r := p.Records[m.ID]; r != nil && r.WindowEnd.After(until) {
			until = r.WindowEnd
		}
	}
	return usedUp, until
}

// mayPay reports whether a quota is used up, or may be.
func mayPay(s usage.Snapshot) bool {
	return slices.ContainsFunc(s.Meters, func(m usage.Meter) bool { return m.GivesWay() || m.State == usage.StateUnreadable })
}

// stepOf is the highest step that the spent share of the money has reached.
func stepOf(balance, base int64) int {
	if balance <= 0 {
		return 100
	}
	reached := begun
	for _, step := range []int{50, 75, 90} {
		if 100*float64(base-balance) >= float64(step)*float64(base) {
			reached = step
		}
	}
	return reached
}

func (p *plan) debt(s usage.Snapshot, now time.Time) []Alert {
	d := &p.Debt
	if _, in := s.Notice(usage.NoticeInDebt); in {
		d.ClearSince = time.Time{}
		if d.Told {
			return nil
		}
		return []Alert{{Kind: KindInDebt, Meter: usage.ExtraUsage, told: func() { d.Told = true }, holds: func(usage.Snapshot) bool { return d.Told }}}
	}
	if usage.BalanceOf(s.Meters).Known() && lasts(&d.ClearSince, now, d.Told) {
		*d = debt{}
	}
	return nil
}

func (p *plan) topUp(s usage.Snapshot, now time.Time) []Alert {
	n, on := s.Notice(usage.NoticeAutoTopUp)
	spent, known := n.Spent.Micros()
	if !on || !known {
		return nil
	}
	t := &p.TopUp
	if !t.Seen {
		*t = topUp{Seen: true, Spent: spent}
	}
	if t.LessSince.IsZero() || spent < t.Less {
		t.Less = spent
	}
	switch {
	case lasts(&t.LessSince, now, spent < t.Spent): // a new month
		*t = topUp{Seen: true, Spent: t.Less}
	case t.LessSince.IsZero():
		t.Less = 0
	}
	if spent <= t.Spent {
		return nil
	}
	return []Alert{{Kind: KindTopUp, told: func() { t.Spent, t.ShownNow = spent, true }}}
}
