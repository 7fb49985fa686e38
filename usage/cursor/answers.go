package cursor

import (
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// answers are what Cursor's service has answered, by method. One that is missing, or is
// no object, is empty.
type answers struct {
	// period is of GetCurrentPeriodUsage, info of GetPlanInfo, hardLimit of GetHardLimit,
	// counters of /auth/usage.
	period, info, hardLimit, counters gjson.Result
	// summary is of the dashboard's usage-summary. Windsock never asks for it; people may
	// have saved one.
	summary gjson.Result
	// user is the user id of the sign-in.
	user string
}

// open reads the answers; false for anything but a JSON object.
func open(raw []byte) (answers, bool) {
	raw, ok := field.Object(raw)
	if !ok {
		return answers{}, false
	}
	root := gjson.ParseBytes(raw)
	a := answers{
		period:    field.Inner(root, "GetCurrentPeriodUsage"),
		info:      field.Inner(root, "GetPlanInfo"),
		hardLimit: field.Inner(root, "GetHardLimit"),
		counters:  field.Inner(root, "usage"),
		summary:   field.Inner(root, "usage-summary"),
	}
	if user := root.Get("user"); user.Type == gjson.String {
		a.user = user.Str
	}
	return a, true
}

// Is reports whether raw is answers of Cursor's service. A cache of Windsurf's has a
// member "usage", too, which holds no counters of requests.
func Is(raw []byte) bool {
	a, ok := open(raw)
	return ok && a.any()
}

func (a answers) any() bool {
	if a.period.Exists() || a.info.Exists() || a.hardLimit.Exists() || a.summary.Exists() {
		return true
	}
	found := false
	a.counters.ForEach(func(_, bucket gjson.Result) bool {
		found = bucket.IsObject() && (bucket.Get("numRequests").Exists() || bucket.Get("maxRequestUsage").Exists())
		return !found
	})
	return found
}

// plan is the plan's name, "" when unknown. Of GetPlanInfo only the name is reliable: its
// amounts and its price may be those of another seat (PROTOCOL.md 10.3).
func (a answers) plan() string {
	if name := a.info.Get("planInfo.planName"); name.Type == gjson.String {
		if name := usage.CleanName(name.Str); name != "" {
			return name
		}
	}
	member := a.summary.Get("membershipType")
	if member.Type != gjson.String {
		return ""
	}
	if name, ok := memberships[member.Str]; ok {
		return name
	}
	return usage.CleanName(member.Str)
}

// memberships are the names of the types of membership, as the dashboard shows them.
var memberships = map[string]string{
	"free": "Free", "hobby": "Hobby", "express": "Start", "free_trial": "Pro trial",
	"pro": "Pro", "pro_student": "Pro student", "pro_plus": "Pro+", "ultra": "Ultra",
	"team": "Team", "business": "Team", "enterprise": "Enterprise",
}

// cycle is the billing cycle. A seat of a team that has no plan of its own is answered
// with a start that is the end: that is no cycle.
func (a answers) cycle() usage.Window {
	summary := usage.Window{
		Start: field.ReadDate(a.summary, "billingCycleStart"),
		End:   field.ReadDate(a.summary, "billingCycleEnd"),
	}
	period := usage.Window{
		Start: field.ReadClock(a.period, "billingCycleStart", time.Millisecond),
		End:   field.ReadClock(a.period, "billingCycleEnd", time.Millisecond),
	}
	month := usage.Window{Start: field.ReadDate(a.counters, "startOfMonth")}
	if !month.Start.IsZero() {
		month.End = nextMonth(month.Start)
	}
	for _, w := range []usage.Window{summary, period, month} {
		if !w.End.IsZero() && (w.Start.IsZero() || w.End.After(w.Start)) {
			return w
		}
	}
	return usage.Window{}
}

// nextMonth is the same day of the next month, or its last day where it is shorter.
func nextMonth(t time.Time) time.Time {
	next := t.AddDate(0, 1, 0)
	if next.Day() != t.Day() {
		next = next.AddDate(0, 0, -next.Day())
	}
	return next
}

// account is whose answers these are.
func (a answers) account() usage.Account {
	return AccountOf(a.user)
}

// AccountOf is the account of a user of Cursor's; the unknown one for "".
func AccountOf(user string) usage.Account {
	if user == "" {
		return usage.Account{}
	}
	return usage.NewAccount(string(usage.Cursor), user)
}
