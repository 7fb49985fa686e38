// Package alert says when to warn a person of what a plan has left.
//
// [Watch] looks at each fresh answer, keeps one record for each meter of a plan, and
// returns the [Alert] that is due. It remembers an alert as told when
// [Watch.Told] says that the desktop took it; until then it stays due.
//
// # What is told, and how often
//
// A threshold and the end are told once in a window of their meter, across restarts.
// Two resets are of the same window when less than half its length lies between them,
// so that a reset may jitter. A threshold is told with all above it.
//
// A record begins anew with a later window. Of credits, ACUs and what has no reset a
// threshold may be told again within one: when the meter stood above it at two fetches
// ten minutes apart, as after credits were bought.
//
// Flex credits count while there are no prompt credits to draw on. The forecast of
// [KindWillRunOut] must have stood at two fetches ten minutes apart, be established,
// concern a meter of which 15 % is used, and lie half an hour or more before the
// reset; a daily window has none.
//
// Extra usage is told when it begins, and when 50, 75 and 90 % of it are spent: of
// the highest balance since then. It ends with the windows of the used-up quotas.
// A debt is told once until the balance has stood at zero or above at two fetches ten
// minutes apart. Of auto top-up every rise of what it has spent is told, and nothing
// at the first sight of it, when nobody knows what it was before.
//
// Only a fresh answer of a language server counts. A meter that is unreadable,
// unlimited, rolled over or missing neither tells anything nor forgets anything.
//
// What comes due at once makes one alert: the gravest, money first. The others
// count as told with it, and stand in its text in short.
package alert

import (
	"cmp"
	"slices"
	"time"

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
	// told remembers that it was told.
	told func()
	// also are lesser alerts that were due at the same time.
	also []Alert
}

// due is what is to be told of a plan by a fresh snapshot, nil for nothing.
func (p *plan) due(s usage.Snapshot, c Config) *Alert {
	now := stamp(s.Source.FetchedAt)
	var due []Alert
	for _, m := range s.Meters {
		if counts(m) {
			due = append(due, p.record(m, now).due(m, s, c, now)...)
		}
	}
	due = append(due, p.extraUsage(s, now)...)
	due = append(due, p.debt(s, now)...)
	due = append(due, p.topUp(s, now)...)
	due = slices.DeleteFunc(due, func(a Alert) bool { return !c.tells(a) || p.muted(a.Meter, now) })
	if len(due) == 0 {
		return nil
	}
	for i := range due {
		due[i].snapshot = s
	}
	slices.SortStableFunc(due, compare)
	gravest := due[0]
	gravest.also = due[1:]
	return &gravest
}

// fresh reports whether a snapshot is a present answer.
func fresh(s usage.Snapshot) bool {
	return s.Source.Kind == usage.KindLanguageServer && !s.Source.Stale &&
		!s.Source.FetchedAt.IsZero() && len(s.Meters) > 0
}

var kinds = []Kind{
	KindInDebt, KindExtraUsageSpent, KindOnExtraUsage, KindTopUp,
	KindExhausted, KindLow, KindWillRunOut, KindRefilled,
}

// compare puts the graver alert first.
func compare(a, b Alert) int {
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(a.Step, b.Step),
		b.returns().Compare(a.returns()),
	)
}

func (a Alert) rank() int {
	if a.Kind == KindExhausted && a.Meter == usage.ExtraUsage {
		return 1 // after a debt, which comes of it
	}
	return 2 * slices.Index(kinds, a.Kind)
}

// returns is when the meter is back; after all others, if that is not known.
// Flex credits do not come back, and end with the prompt credits or after them.
func (a Alert) returns() time.Time {
	end := a.meter().Window.End
	if end.IsZero() && a.Meter != usage.FlexCredits {
		return time.Unix(1<<40, 0)
	}
	return end
}
