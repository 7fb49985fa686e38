// Package antigravity interprets what Antigravity tells of its quota, in four forms: two
// answers of its language server, the report of its command line agy, and what agy hands
// to a status line. [Decode] makes a snapshot of one, [Anonymize] removes everything
// personal from it. It knows no clock and no server.
package antigravity

import (
	"strings"

	"github.com/tidwall/gjson"

	"windsock/usage"
)

// Decode reads an answer of RetrieveUserQuotaSummary, alone or with the userStatus of
// GetUserStatus beside it, which then tells the plan and the account only; an answer of
// GetUserStatus; the JSON of `agy -p /usage`; or the JSON that agy hands to a status line
// (PROTOCOL.md 8.3, 8.4, 8.8). It is as lenient as Windsurf's. An unreadable figure makes
// only its own meter unreadable.
//
// Decode knows no clock: judge the snapshot with [usage.Snapshot.At]. The error is one
// of [usage.NoUsage]; the snapshot then holds the source and the plan's name, as far as
// they are known. raw is not kept.
func Decode(raw []byte, src usage.Source) (usage.Snapshot, error) {
	s := usage.Snapshot{
		Source: src, Plan: usage.Plan{Product: usage.Antigravity}, Billing: usage.BillingUnknown,
	}
	a, ok := open(raw)
	if !ok {
		return s, usage.NoUsage(usage.CodeBadPayload, usage.Antigravity, src.Kind)
	}
	s.PlanName = a.plan()
	meters, code := a.meters()
	if code == "" && len(meters) == 0 {
		code = usage.CodeNoUsageFields
	}
	if code != "" {
		kind := src.Kind
		if a.form == formReport { // also when it was saved
			kind = usage.KindCLI
		}
		return s, usage.NoUsage(code, usage.Antigravity, kind)
	}
	s.Plan.Account, s.Billing, s.Meters = a.account(), usage.BillingQuota, meters
	return usage.NewSnapshot(s, usage.Facts{}), nil
}

// meters are the meters of an answer. code is one of usage.NoUsage, or empty.
func (a answer) meters() (meters []usage.Meter, code string) {
	var b buckets
	switch a.form {
	case formSummary:
		b.groups(a.groups)
	case formReport:
		// A failure is told in words alone.
		if a.top["status"].Str != succeeded || !a.groups.IsArray() {
			return nil, usage.CodeBadPayload
		}
		b.groups(a.groups)
	case formStatusLine:
		a.top["quota"].ForEach(func(id, bucket gjson.Result) bool {
			b.add(id.Str, bucket)
			return true
		})
	case formUserStatus:
		return modelMeters(a.models()), ""
	default:
		return nil, usage.CodeNoPlanStatus
	}
	return b.meters(), ""
}

// succeeded is the status of a report with figures.
const succeeded = "SUCCESS"

// plan is the plan's name, "" when unknown. The server's tier is exact; its plan is
// "Pro" for everything that is paid for.
func (a answer) plan() string {
	for _, v := range []gjson.Result{
		a.status["userTier"].Get("name"), a.top["plan_tier"], a.status["planStatus"].Get("planInfo.planName"),
	} {
		if v.Type == gjson.String {
			if name := planName(v.Str); name != "" {
				return strings.Clone(name) // not the whole answer with it
			}
		}
	}
	return ""
}

// planName is a plan's name without the name of what it was sold with.
func planName(name string) string {
	name = usage.CleanName(name)
	for _, sold := range []string{"Google AI ", "Gemini Code Assist in Google One AI "} {
		name = strings.TrimPrefix(name, sold)
	}
	return name
}

// account is whose answer it is: the e-mail address, in one spelling.
func (a answer) account() usage.Account {
	for _, v := range []gjson.Result{a.status["email"], a.top["email"]} {
		if email := strings.ToLower(strings.TrimSpace(v.Str)); v.Type == gjson.String && email != "" {
			return usage.NewAccount(string(usage.Antigravity), email)
		}
	}
	return usage.Account{}
}
