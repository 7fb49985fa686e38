package usage

import "slices"

// Decode reads an answer about the plan: a GetUserStatus answer, a bare
// {"planStatus": …}, or the value of one of the editor's plan caches
// (PROTOCOL.md 3.1, 5.3). It is lenient: unknown fields and enum values are
// passed over, numbers and booleans may be strings, null is absent, and a
// figure that cannot be read makes its own meter unreadable and no other.
//
// Decode knows no clock: judge the snapshot with [Snapshot.At]. The error is a
// [*PayloadError]; the snapshot then holds the source and the plan's name, as
// far as they are known. raw is not kept.
func Decode(raw []byte, src Source) (Snapshot, error) {
	a, code := read(raw)
	if a.cached {
		src = src.undated()
	}
	if code == "" {
		meters, problems := a.meters()
		if len(meters) > 0 {
			return Snapshot{
				Source:   src,
				Account:  readAccount(raw),
				Plan:     a.plan,
				Billing:  a.billing(meters),
				Cycle:    a.cycle,
				Meters:   meters,
				Problems: append(problems, a.problems...),
				said:     &said{meters: slices.Clone(meters), facts: a.facts},
			}, nil
		}
		code = CodeNoUsageFields
	}
	return Snapshot{Source: src, Plan: a.plan, Billing: BillingUnknown},
		&PayloadError{code: code, kind: src.Kind}
}

// undated is the source of an answer that carries no time.
func (s Source) undated() Source {
	s.FetchedAt = Source{}.FetchedAt
	return s
}
