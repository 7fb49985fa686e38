// Package windsurf interprets the answers of Windsurf's language server and the
// editor's plan caches: [Decode] makes a snapshot of one, [Anonymize] removes
// everything personal from it. It knows no clock and no server.
package windsurf

import (
	"time"

	"windsock/usage"
)

// Decode reads an answer about the plan: a GetUserStatus answer, a bare {"planStatus":
// …}, or the value of one of the editor's plan caches (PROTOCOL.md 3.1, 5.3). It is
// lenient: it ignores unknown fields and enum values, reads numbers and booleans from
// strings, and treats null as absent. An unreadable figure makes only its own meter
// unreadable.
//
// Decode knows no clock: judge the snapshot with [usage.Snapshot.At]. The error is one
// of [usage.NoUsage]; the snapshot then holds the source and the plan's name, as far as
// they are known. raw is not kept.
func Decode(raw []byte, src usage.Source) (usage.Snapshot, error) {
	a, code := read(raw)
	if a.cached {
		src.FetchedAt = time.Time{}
	}
	if code == "" {
		meters, problems := a.meters()
		if len(meters) > 0 {
			return usage.NewSnapshot(usage.Snapshot{
				Source:   src,
				Plan:     usage.Plan{Product: usage.Windsurf, Account: readAccount(raw)},
				PlanName: a.plan,
				Billing:  a.billing(meters),
				Cycle:    a.cycle,
				Meters:   meters,
				Problems: append(problems, a.problems...),
			}, a.facts), nil
		}
		code = usage.CodeNoUsageFields
	}
	s := usage.Snapshot{Source: src, Plan: usage.Plan{Product: usage.Windsurf}, PlanName: a.plan, Billing: usage.BillingUnknown}
	return s, usage.NoUsage(code, usage.Windsurf, src.Kind)
}
