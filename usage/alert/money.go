package alert

import (
	"cmp"
	"time"

	"windsock/usage"
)

func onExtraUsage(s usage.Snapshot) bool {
	_, on := s.Notice(usage.NoticeOnExtraUsage)
	return on
}

func balanceOf(s usage.Snapshot) usage.Amount {
	m, _ := s.Meter(usage.ExtraUsage)
	return m.Remaining
}

// begun is the step of extra usage that has just begun.
const begun = 1

// extraUsage tells of the balance while a quota is used up. It belongs to the
// periods of the quotas that are: with the last of them it is over.
func (r *round) extraUsage() {
	balance, known := balanceOf(r.snapshot).Micros()
	if !known || len(r.usedUp) == 0 {
		return
	}
	var e extra
	for _, q := range r.usedUp {
		if o := q.period.Extra; cmp.Or(cmp.Compare(o.Base, e.Base), cmp.Compare(o.Told, e.Told)) > 0 {
			e = o
		}
	}
	if onExtraUsage(r.snapshot) && balance > e.Base {
		e.Base, e.Told = balance, min(e.Told, begun)
	}
	if e.Base == 0 {
		return
	}
	step := stepOf(balance, e.Base)
	a := Alert{Kind: KindExtraUsageSpent, Meter: usage.ExtraUsage, Step: step, base: usage.Micros(e.Base)}
	switch step {
	case begun:
		a.Kind, a.Step = KindOnExtraUsage, 0
	case 100:
		a.Kind, a.Step = KindExhausted, 0
	}
	for _, q := range r.usedUp {
		q.period.Extra = e
		told := r.mark(q.meter, KindOnExtraUsage)
		told.told, told.amount = step, e.Base
		a.marks = append(a.marks, told)
	}
	if step > e.Told {
		r.add(a)
	}
}

// stepOf is how much of extra usage is spent, in the steps that are told.
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

func (r *round) debt() {
	d := &r.account.Debt
	if _, in := r.snapshot.Notice(usage.NoticeInDebt); in {
		d.ClearSince = time.Time{}
		if !d.Told {
			r.add(Alert{
				Kind: KindInDebt, Meter: usage.ExtraUsage,
				marks: []mark{{account: r.hash, kind: KindInDebt, told: d.Count}},
			})
		}
		return
	}
	if balanceOf(r.snapshot).Known() && lasts(&d.ClearSince, r.now, d.Told) {
		*d = debt{Count: d.Count + 1}
	}
}

func (r *round) topUp() {
	n, on := r.snapshot.Notice(usage.NoticeAutoTopUp)
	spent, known := n.Spent.Micros()
	if !on || !known {
		return
	}
	t := &r.account.TopUp
	if !t.Seen {
		*t = topUp{Seen: true, Spent: spent}
	}
	if t.LessSince.IsZero() || spent < t.Less {
		t.Less = spent
	}
	switch {
	case lasts(&t.LessSince, r.now, spent < t.Spent): // a new month
		*t = topUp{Seen: true, Spent: t.Less}
	case t.LessSince.IsZero():
		t.Less = 0
	}
	if spent > t.Spent {
		r.add(Alert{Kind: KindTopUp, marks: []mark{{account: r.hash, kind: KindTopUp, amount: spent}}})
	}
}
