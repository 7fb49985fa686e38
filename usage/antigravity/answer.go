package antigravity

import (
	"github.com/tidwall/gjson"

	"windsock/usage/field"
)

// answer is an answer in one of its forms. Its parts hold the whole text of it.
type answer struct {
	form form
	// top are the fields of the answer, status those of its userStatus.
	top, status map[string]gjson.Result
	// groups are those of a summary or a report.
	groups gjson.Result
}

type form int

const (
	formNone form = iota
	formSummary
	formReport
	formStatusLine
	formUserStatus
)

// open recognises the form of an answer; false for anything but a JSON object. What
// stands beside a summary does not count.
func open(raw []byte) (a answer, ok bool) {
	if raw, ok = field.Object(raw); !ok {
		return answer{}, false
	}
	a.top = fieldsOf(gjson.ParseBytes(raw))
	a.status = fieldsOf(a.top["userStatus"])
	isText := func(name string) bool { return a.top[name].Type == gjson.String }
	summary, report := a.top["response"].Get("groups"), a.top["command"].Get("data.groups")
	switch {
	case summary.IsArray():
		a.form, a.groups = formSummary, summary
	case a.top["groups"].IsArray():
		a.form, a.groups = formSummary, a.top["groups"]
	case a.top["userStatus"].IsObject():
		a.form = formUserStatus
	case report.Exists(), isText("status") && isText("response"):
		a.form, a.groups = formReport, report
	case a.top["quota"].IsObject(), isText("plan_tier"), isText("agent_state"):
		a.form = formStatusLine
	}
	return a, true
}

// fieldsOf are the fields of an object; of a repeated one, the first. One walk costs
// less than a search for each.
func fieldsOf(object gjson.Result) map[string]gjson.Result {
	fields := map[string]gjson.Result{}
	if !object.IsObject() {
		return fields
	}
	object.ForEach(func(name, value gjson.Result) bool {
		if _, again := fields[name.Str]; !again {
			fields[name.Str] = value
		}
		return true
	})
	return fields
}

func (a answer) models() gjson.Result {
	return a.status["cascadeModelConfigData"].Get("clientModelConfigs")
}

// Is reports whether raw is an answer of Antigravity. Its GetUserStatus is Windsurf's by
// name and shape: a tier, or a quota of a model, tells them apart.
func Is(raw []byte) bool {
	a, ok := open(raw)
	switch {
	case !ok:
		return false
	case a.form == formUserStatus:
		return !a.isWindsurfs() && (a.status["userTier"].IsObject() || len(a.models().Get("#.quotaInfo").Array()) > 0)
	default:
		return a.form != formNone || a.top["response"].IsObject() // a summary of nothing
	}
}

func (a answer) isWindsurfs() bool {
	for _, own := range []string{"dailyQuotaResetAtUnix", "weeklyQuotaResetAtUnix", "acuConsumed", "planInfo.billingStrategy"} {
		if a.status["planStatus"].Get(own).Exists() {
			return true
		}
	}
	return false
}
