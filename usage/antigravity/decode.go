// Package antigravity interprets what Antigravity tells of its quota, in four forms: two
// answers of its language server, the report of its command line agy, and what agy hands
// to a status line. [Decode] makes a snapshot of one, [Anonymize] removes everything
// personal from it. It knows no clock and no server.
package antigravity

import (
	"strings"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// Decode reads an answer of RetrieveUserQuotaSummary, alone or with the userStatus of
// GetUserStatus beside it, which then tells the plan and the account only; an answer of
// GetUserStatus; the JSON of `agy -p /usage`; or the JSON that agy hands to a status line
// (PROTOCOL.md 8.3, 8.4, 8.7). It is as lenient as Windsurf's. An unreadable figure makes
// only its own meter unreadable.
//
// Decode knows no clock: judge the snapshot with [usage.Snapshot.At]. The error is one
// of [usage.NoUsage]; the snapshot then holds the source and the plan's name, as far as
// they are known. raw is not kept.
func Decode(raw []byte, src usage.Source) (usage.Snapshot, error) {
	s := usage.Snapshot{
		Source: src, Plan: usage.Plan{Product: usage.Antigravity}, Billing: usage.BillingUnknown,
	}
	raw, ok := field.Object(raw)
	if !ok {
		return s, usage.NoUsage(usage.CodeBadPayload, usage.Antigravity, src.Kind)
	}
	s.PlanName = readPlan(raw)
	meters, code := readMeters(raw)
	if code == "" && len(meters) == 0 {
		code = usage.CodeNoUsageFields
	}
	if code != "" {
		kind := src.Kind
		if formOf(raw) == formReport { // also when it was saved
			kind = usage.KindCLI
		}
		return s, usage.NoUsage(code, usage.Antigravity, kind)
	}
	s.Plan.Account, s.Billing, s.Meters = readAccount(raw), usage.BillingQuota, meters
	return usage.NewSnapshot(s, usage.Facts{}), nil
}

// Is reports whether raw is an answer of Antigravity. Its GetUserStatus is Windsurf's by
// name and shape: a tier, or a quota of a model, tells them apart.
func Is(raw []byte) bool {
	raw, ok := field.Object(raw)
	if !ok {
		return false
	}
	switch formOf(raw) {
	case formSummary, formReport, formStatusLine:
		return true
	case formUserStatus:
		if gjson.GetBytes(raw, "userStatus.userTier").IsObject() {
			return true
		}
		for _, windsurf := range []string{"dailyQuotaResetAtUnix", "weeklyQuotaResetAtUnix", "acuConsumed", "planInfo.billingStrategy"} {
			if gjson.GetBytes(raw, "userStatus.planStatus."+windsurf).Exists() {
				return false
			}
		}
		return len(gjson.GetBytes(raw, "userStatus.cascadeModelConfigData.clientModelConfigs.#.quotaInfo").Array()) > 0
	default:
		return gjson.GetBytes(raw, "response").IsObject() // a summary of nothing
	}
}

// form is one of the forms of an answer.
type form int

const (
	formNone form = iota
	formSummary
	formReport
	formStatusLine
	formUserStatus
)

// formOf is the form of an object. What stands beside a summary does not count.
func formOf(raw []byte) form {
	has := func(path string) bool { return gjson.GetBytes(raw, path).Exists() }
	text := func(path string) bool { return gjson.GetBytes(raw, path).Type == gjson.String }
	switch {
	case gjson.GetBytes(raw, "response.groups").IsArray(), gjson.GetBytes(raw, "groups").IsArray():
		return formSummary
	case gjson.GetBytes(raw, "userStatus").IsObject():
		return formUserStatus
	case has("command.data.groups"), text("status") && text("response"):
		return formReport
	case gjson.GetBytes(raw, "quota").IsObject(), text("plan_tier"), text("agent_state"):
		return formStatusLine
	default:
		return formNone
	}
}

// readMeters are the meters of an answer. code is one of usage.NoUsage, or empty.
func readMeters(raw []byte) (meters []usage.Meter, code string) {
	var b buckets
	switch formOf(raw) {
	case formSummary:
		groups := gjson.GetBytes(raw, "response.groups")
		if !groups.IsArray() {
			groups = gjson.GetBytes(raw, "groups")
		}
		b.groups(groups)
	case formReport:
		// A failure is told in words alone.
		groups := gjson.GetBytes(raw, "command.data.groups")
		if gjson.GetBytes(raw, "status").Str != succeeded || !groups.IsArray() {
			return nil, usage.CodeBadPayload
		}
		b.groups(groups)
	case formStatusLine:
		gjson.GetBytes(raw, "quota").ForEach(func(id, bucket gjson.Result) bool {
			b.add(id.Str, bucket)
			return true
		})
	case formUserStatus:
		return modelMeters(gjson.GetBytes(raw, "userStatus.cascadeModelConfigData.clientModelConfigs")), ""
	default:
		return nil, usage.CodeNoPlanStatus
	}
	return b.meters(), ""
}

// succeeded is the status of a report with figures.
const succeeded = "SUCCESS"

// readPlan is the plan's name, "" when unknown. The server's tier is exact; its plan is
// "Pro" for everything that is paid for.
func readPlan(raw []byte) string {
	for _, path := range []string{"userStatus.userTier.name", "plan_tier", "userStatus.planStatus.planInfo.planName"} {
		if v := gjson.GetBytes(raw, path); v.Type == gjson.String {
			if name := planName(v.Str); name != "" {
				return name
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

// readAccount reads the account: the e-mail address, in one spelling.
func readAccount(raw []byte) usage.Account {
	for _, path := range []string{"userStatus.email", "email"} {
		v := gjson.GetBytes(raw, path)
		if email := strings.ToLower(strings.TrimSpace(v.Str)); v.Type == gjson.String && email != "" {
			return usage.NewAccount(string(usage.Antigravity), email)
		}
	}
	return usage.Account{}
}
