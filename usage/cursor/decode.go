// Package cursor interprets the answers of Cursor's service: [Decode] makes a snapshot of
// them, [Anonymize] removes everything personal. It knows no clock and no host.
//
// The answers about one plan are one JSON object with a member for each method that was
// asked, named after it: GetCurrentPeriodUsage, GetPlanInfo, GetHardLimit, and "usage" of
// /auth/usage; beside them "user", the user id of the sign-in. A member "usage-summary" of
// the dashboard is read, too.
package cursor

import "windsock/usage"

// Decode reads the answers (PROTOCOL.md 10.3). It is as lenient as Windsurf's: it ignores
// what it does not know, reads numbers and booleans from strings, and treats null as
// absent. An unreadable figure makes only its own meter unreadable.
//
// A share in per cent is read, and never worked out of dollars. There are no meters of
// what a whole team has used.
//
// Decode knows no clock: judge the snapshot with [usage.Snapshot.At]. The error is one
// of [usage.NoUsage]; the snapshot then holds the source and the plan's name, as far as
// they are known. raw is not kept.
func Decode(raw []byte, src usage.Source) (usage.Snapshot, error) {
	s := usage.Snapshot{Source: src, Plan: usage.Plan{Product: usage.Cursor}, Billing: usage.BillingUnknown}
	a, ok := open(raw)
	if !ok {
		return s, usage.NoUsage(usage.CodeBadPayload, usage.Cursor, src.Kind)
	}
	s.PlanName = a.plan()
	l := ledger{cycle: a.cycle()}
	l.read(a)
	switch {
	case len(l.meters) > 0:
		s.Plan.Account, s.Billing, s.Cycle = a.account(), l.billing, l.cycle
		s.Meters, s.Problems = l.meters, l.problems
		return usage.NewSnapshot(s, l.facts), nil
	case a.any():
		return s, usage.NoUsage(usage.CodeNoUsageFields, usage.Cursor, src.Kind)
	default:
		return s, usage.NoUsage(usage.CodeNoPlanStatus, usage.Cursor, src.Kind)
	}
}
