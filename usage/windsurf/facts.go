package windsurf

import (
	"github.com/tidwall/gjson"

	"windsock/usage"
)

// readFacts reads TopUpStatus and its neighbours (PROTOCOL.md 6.5).
func (a *answer) readFacts(object gjson.Result) {
	topUp := inner(object, "topUpStatus")
	a.facts = usage.Facts{
		TopUp:     a.flag(topUp, "topUpEnabled"),
		Grace:     readWord(object, "gracePeriodStatus", "grace_period_status_", "", "none", "active", "expired"),
		GraceEnds: readDate(object, "gracePeriodEnd"),
		Orphaned:  a.flag(object, "wasReducedByOrphanedUsage"),
	}
	if a.facts.TopUp {
		a.facts.Spent = a.money(readFigure(topUp, "topUpSpent", scaleWhole))
		a.facts.Limit = a.money(readFigure(topUp, "monthlyTopUpAmount", scaleWhole))
	}
}

// money is a figure that is omitted when it is zero.
func (a *answer) money(f figure) usage.Amount {
	if f.unreadable() {
		a.problems = append(a.problems, unreadableField(f.field))
		return usage.Amount{}
	}
	return f.orZero()
}

// readAccount reads the account: the user's ID, else team and e-mail (PROTOCOL.md 3.1).
// It never uses the API key, which changes.
func readAccount(raw []byte) usage.Account {
	text := func(field string) string {
		if v := gjson.GetBytes(raw, "userStatus."+field); v.Type == gjson.String {
			return v.Str
		}
		return ""
	}
	if id := text("userId"); id != "" {
		return usage.NewAccount("user", id)
	}
	if team, email := text("teamId"), text("email"); team != "" || email != "" {
		return usage.NewAccount("team", team, email)
	}
	return usage.Account{}
}

func unreadableField(field string) usage.Problem {
	return usage.Problem{Code: usage.CodeUnreadableField, Message: "The field " + field + " could not be read."}
}

func missingField(field, against string) usage.Problem {
	return usage.Problem{Code: usage.CodeUnreadableField, Message: "The field " + field + " is missing beside " + against + ", so the use is not known."}
}
