// Package alert says when to warn a person of what their plan has left.
//
// The rules are a pure function: [Next] takes a [State], which is what has been
// told, and a fresh [usage.Snapshot] that was judged and paced, and returns the
// [Alert] that is due. It is told in two steps: what is due becomes told with
// [State.Told], after the desktop has taken it, so that a warning that nobody
// could show is due again at the next fetch. [Watch] runs them over a poller's
// states and keeps the State in a [Store].
//
// # What is told, and how often
//
// An alert is told once in a period of its meter, whatever the figure does
// within it and however often the app is started. A period is a window: two
// resets are of the same window when less than half of its length lies between
// them, so that a reset that jitters is the same one wherever it stands. Within
// a window, a pool of a new size (credits were bought, the plan was changed) makes
// those alerts possible again that the meter was lifted out of, and no others.
// Flex credits have no window, so that their pool is their period. A quota whose
// reset is not known begins a new period when it has stood above all thresholds at
// two fetches ten minutes apart.
//
// A threshold is told with all above it. Prompt credits come before flex
// credits, which are looked at while there are no prompt credits to draw on. The
// forecast of [KindWillRunOut] must have stood at two fetches ten minutes apart,
// be established, concern a meter of which 15 % is used, and lie half an hour or
// more before the reset; a daily window has none.
//
// Extra usage is told when it begins, and again when 50, 75 and 90 % of it are
// spent: of the balance in the first fetch that showed the plan on extra usage
// for the present windows of its used-up quotas, or of the highest one since.
// What was spent before that fetch is not known and not counted. A debt is told
// once until the balance has stood at zero or above at two fetches ten minutes
// apart. Of auto top-up every rise of what it has spent is told, and nothing at
// the first sight of it, when nobody knows what it was before.
//
// Only a fresh answer of a language server counts. A fetch that failed, a cache,
// a file, and a meter that is unreadable, unlimited or rolled over or that is not
// there neither tell anything nor make anything forgotten.
//
// What comes due at once makes one alert: the gravest, money first. The others
// count as told, and stand in its text in short.
package alert

import (
	"windsock/usage"
)

// Kind is what an alert is about.
type Kind string

// The kinds, from grave to slight.
const (
	// KindInDebt is a balance below zero.
	KindInDebt Kind = "in_debt"
	// KindExtraUsageSpent is a part of extra usage that is spent; Step says
	// which, in percent.
	KindExtraUsageSpent Kind = "extra_usage_spent"
	// KindOnExtraUsage is a quota that is used up while prompts go on, paid
	// from a balance.
	KindOnExtraUsage Kind = "on_extra_usage"
	// KindTopUp is auto top-up that has spent money. It is no meter's.
	KindTopUp Kind = "top_up"
	// KindExhausted is a meter that is used up; extra usage is one as well,
	// and graver than the others.
	KindExhausted Kind = "exhausted"
	// KindLow is a meter with no more left than Step, in percent.
	KindLow Kind = "low"
	// KindWillRunOut is a meter that does not last at its pace.
	KindWillRunOut Kind = "will_run_out"
	// KindRefilled is a meter that is back, after the lowest threshold or its
	// end had been told.
	KindRefilled Kind = "refilled"
)

// Alert is what is to be told. It is a value; Title and Body say it to people.
type Alert struct {
	Kind Kind
	// Meter is what it is about; "" for KindTopUp.
	Meter usage.MeterID
	// Step is the threshold of KindLow and KindExtraUsageSpent.
	Step int

	snapshot usage.Snapshot
	// base is what extra usage began with.
	base usage.Amount
	// also are lesser alerts that were due at the same time.
	also []Alert
	// marks are what counts as told with it, the lesser ones' among them.
	marks []mark
}

// Next returns the alert that is due, nil if none is, and the state with what
// has been seen, in which nothing more has been told than before. account is
// [usage.Account.Hash]. A snapshot that is not fresh changes nothing.
func Next(state State, account string, s usage.Snapshot, c Config) (State, *Alert) {
	if !fresh(s) {
		return state, nil
	}
	next, seen := state.with(account)
	r := &round{hash: account, account: seen, snapshot: s, config: c, now: stamp(s.Source.FetchedAt)}
	r.meters()
	r.extraUsage()
	r.debt()
	r.topUp()
	return next, r.gravest()
}

// fresh reports whether a snapshot is a present answer.
func fresh(s usage.Snapshot) bool {
	return s.Source.Kind == usage.KindLanguageServer && !s.Source.Stale &&
		!s.Source.FetchedAt.IsZero() && len(s.Meters) > 0
}
