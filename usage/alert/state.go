package alert

import (
	"maps"
	"slices"
	"time"

	"windsock/usage"
)

// State is what has been told to whom, and what the rules have to remember
// between two fetches. The zero State is nothing. It is a value that is never
// changed, and stays small: of accounts, windows and pools it holds those that
// were seen last.
type State struct {
	accounts []account // seen last comes first
}

// How much is remembered. A meter whose reset comes and goes between a few
// values finds its windows again.
const (
	maxAccounts = 8
	maxPeriods  = 4
	maxPools    = 16
)

type account struct {
	Hash   string                     `json:"account"`
	Meters map[usage.MeterID][]period `json:"meters,omitempty"` // seen last comes first
	Debt   debt                       `json:"debt,omitzero"`
	TopUp  topUp                      `json:"top_up,omitzero"`
	// MutedUntil is for what has no window of its own: extra usage.
	MutedUntil time.Time `json:"extra_usage_muted_until,omitzero"`
}

type debt struct {
	Told bool `json:"told,omitempty"`
	// Count is how many debts are over, and so tells them apart.
	Count int `json:"count,omitempty"`
	// ClearSince is when the balance was first seen not to be a debt any more.
	ClearSince time.Time `json:"clear_since,omitzero"`
}

type topUp struct {
	Seen bool `json:"seen,omitempty"`
	// Spent is what was told last, or seen first.
	Spent int64 `json:"spent,omitempty"`
	// Less is the least that was seen since LessSince: a new month, if it
	// lasts.
	Less      int64     `json:"less,omitempty"`
	LessSince time.Time `json:"less_since,omitzero"`
}

// mark is what is remembered of an alert when it has been told. Two alerts with
// the same marks are the same.
type mark struct {
	account string
	kind    Kind
	// meter and window are of the period; the meter is none's for debts and
	// top-up. On extra usage they are of the quota that is used up.
	meter  usage.MeterID
	window usage.Window
	// total is the pool's.
	total int64
	// told is what the Told of the pool becomes, or that of Extra.
	told int
	// owes says that the person will want to know when the meter is back.
	owes bool
	// amount is what top-up has spent, or what extra usage began with.
	amount int64
}

// Told is the state after an alert was shown, with everything that it stands
// for.
func (s State) Told(a Alert) State {
	for _, m := range a.marks {
		var account *account
		s, account = s.with(m.account)
		account.tell(m)
	}
	return s
}

func (a *account) tell(m mark) {
	if m.meter == "" {
		if m.kind == KindInDebt {
			a.Debt.Told = true
		} else {
			a.TopUp.Spent = m.amount
		}
		return
	}
	list := a.Meters[m.meter]
	i := find(list, m.window, time.Time{})
	if i < 0 {
		return
	}
	p := &list[i]
	present := &pool{} // of one that is not remembered any more
	if i := slices.IndexFunc(p.Pools, func(o pool) bool { return o.Total == m.total }); i >= 0 {
		present = &p.Pools[i]
	}
	switch m.kind {
	case KindWillRunOut:
		p.RunOutTold = true
	case KindRefilled:
		present.Refilled, p.Owed = true, false
	case KindOnExtraUsage:
		if p.Extra.Base == m.amount { // or more was bought while it was shown
			p.Extra.Told = max(p.Extra.Told, m.told)
		}
	default:
		present.Told, p.Owed = max(present.Told, m.told), m.owes
	}
}

// with is a copy of the state in which the account of that hash comes first,
// made if it is new. The account may be written to.
func (s State) with(hash string) (State, *account) {
	next := s.clone()
	i := slices.IndexFunc(next.accounts, func(a account) bool { return a.Hash == hash })
	if i < 0 {
		next.accounts = append(next.accounts, account{Hash: hash, Meters: map[usage.MeterID][]period{}})
		i = len(next.accounts) - 1
	}
	toFront(next.accounts, i)
	next.accounts = next.accounts[:min(len(next.accounts), maxAccounts)]
	return next, &next.accounts[0]
}

func (s State) clone() State {
	next := State{slices.Clone(s.accounts)}
	for i, a := range next.accounts {
		meters := make(map[usage.MeterID][]period, len(a.Meters))
		maps.Copy(meters, a.Meters)
		for id, periods := range meters {
			meters[id] = slices.Clone(periods)
			for j, p := range periods {
				meters[id][j].Pools = slices.Clone(p.Pools)
			}
		}
		next.accounts[i].Meters = meters
	}
	return next
}

func toFront[T any](list []T, i int) {
	first := list[i]
	copy(list[1:i+1], list[:i])
	list[0] = first
}

// stamp is a time as it is kept: without the monotonic clock, which is of one
// run, and without a place.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }

// lasting is how far two fetches lie apart at least when what both say is to be
// relied on.
const lasting = 10 * time.Minute

// lasts reports whether something that holds now has held since a fetch long
// enough ago, which since remembers; it is zero while it does not hold.
func lasts(since *time.Time, now time.Time, holds bool) bool {
	if !holds {
		*since = time.Time{}
		return false
	}
	if since.IsZero() || now.Before(*since) { // or the clock was set back
		*since = now
	}
	return now.Sub(*since) >= lasting
}
