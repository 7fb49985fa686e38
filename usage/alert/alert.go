// Package alert decides when to warn about what a plan has left.
//
// [Watch] checks each fresh answer, keeps one record for each meter of a plan, and
// returns the [Alert] that is due. It records an alert as shown when [Watch.Told]
// confirms that the desktop took it; until then the alert stays due.
//
// # What is shown, and how often
//
// Each threshold and the end are shown once per window of their meter, across restarts.
// Two resets belong to the same window when less than half its length lies between
// them, so a reset may jitter. Showing a threshold marks all above it as shown.
//
// A later window starts a new record. Credits, ACUs and meters without a reset may
// repeat a threshold within one window: when the meter stood above it at two fetches
// ten minutes apart, as after credits were bought.
//
// Flex credits count while there are no prompt credits to draw on. [KindWillRunOut]
// needs a chance of 70 % to run out at two fetches ten minutes apart, an established
// pace, a meter with 15 % used, and an end that is, in one case of two, half an hour or
// more before the reset; a window of a day or of hours has none.
//
// Extra usage raises an alert when it begins, and when 50, 75 and 90 % of it are spent,
// measured from the highest balance since then. It ends with the windows of the used-up
// quotas. The same holds for what is bought on demand, measured from its limit; without a
// limit it raises the first of these alerts alone. A debt is shown once, until the balance
// was zero or above at two fetches ten minutes apart. Auto top-up raises an alert for every
// rise of its spending, except at the first fetch, when the earlier figure is unknown.
//
// Only a fresh answer counts, and neither a cache nor a saved one. A meter that is
// unreadable, unlimited, rolled over, missing or without a row in the table of meters
// raises no alert and keeps its record. One that has not started is back.
//
// Alerts of a plan that are due together become one: the gravest, money first. The
// others count as shown with it, and its text mentions them in short. No alert mixes
// plans: those of different plans come one after the other.
package alert

import (
	"cmp"
	"slices"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
)

// Kind is what an alert is about.
type Kind string

// The kinds, from grave to slight.
const (
	// KindInDebt is a balance below zero.
	KindInDebt Kind = "in_debt"
	// KindExtraUsageSpent is extra usage, or a limit of what is bought on demand, with Step
	// percent spent.
	KindExtraUsageSpent Kind = "extra_usage_spent"
	// KindOnExtraUsage is a used-up quota while prompts go on, paid from a balance or on
	// demand.
	KindOnExtraUsage Kind = "on_extra_usage"
	// KindTopUp is auto top-up that has spent money. It belongs to no meter.
	KindTopUp Kind = "top_up"
	// KindExhausted is a used-up meter; for extra usage it is graver than for the
	// others.
	KindExhausted Kind = "exhausted"
	// KindLow is a meter with no more than Step percent left.
	KindLow Kind = "low"
	// KindWillRunOut is a meter that is likely to run out before its reset.
	KindWillRunOut Kind = "will_run_out"
	// KindRefilled is a meter that is back, after an alert for its lowest threshold or
	// its end.
	KindRefilled Kind = "refilled"
)

// Alert is one warning. It is a value; Title and Body are its text.
type Alert struct {
	Kind Kind
	// Meter is the meter concerned; "" for KindTopUp.
	Meter usage.MeterID
	// Step is the threshold of KindLow and KindExtraUsageSpent.
	Step int

	snapshot usage.Snapshot
	// heading names the plan for people; "" while there is one plan only.
	heading string
	// base is the balance that extra usage began with.
	base usage.Amount
	// told records the alert as shown.
	told func()
	// holds reports whether it still holds by a later answer, once told; nil is for ever.
	holds func(usage.Snapshot) bool
	// also are the lesser alerts that were due at the same time.
	also []Alert
}

// Plan is the plan concerned.
func (a Alert) Plan() usage.Plan { return a.snapshot.Plan }

// due is the alert that a fresh snapshot makes due, nil for none.
func (p *plan) due(s usage.Snapshot, c Config) *Alert {
	now := stamp(s.Source.FetchedAt)
	var due []Alert
	for _, m := range s.Meters {
		if m.Binds() || m.State == usage.StateNotStarted && m.Name == "" {
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
	sorted.By(due, compare)
	gravest := due[0]
	gravest.also = due[1:]
	return &gravest
}

// fresh reports whether a snapshot is a current answer.
func fresh(s usage.Snapshot) bool {
	return s.Source.Kind != usage.KindCache && s.Source.Kind != usage.KindFile && !s.Source.Stale &&
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
	if a.Kind == KindExhausted && a.Meter.IsMoney() {
		return 1 // after a debt, which follows from it
	}
	return 2 * slices.Index(kinds, a.Kind)
}

// returns is when the meter is back; an unknown reset sorts last. Flex credits do not
// come back, and end with the prompt credits or after them.
func (a Alert) returns() time.Time {
	end := a.meter().Window.End
	if end.IsZero() && a.Meter != usage.FlexCredits {
		return time.Unix(1<<40, 0)
	}
	return end
}
