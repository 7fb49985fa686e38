package windsurf

import (
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// readFacts reads TopUpStatus and its neighbours (PROTOCOL.md 6.5).
func (a *answer) readFacts(object gjson.Result) {
	topUp := field.Inner(object, "topUpStatus")
	a.facts = usage.Facts{
		TopUp:     a.flag(topUp, "topUpEnabled"),
		Grace:     field.ReadWord(object, "gracePeriodStatus", "grace_period_status_", "", "none", "active", "expired"),
		GraceEnds: field.ReadDate(object, "gracePeriodEnd"),
		Orphaned:  a.flag(object, "wasReducedByOrphanedUsage"),
	}
	if a.facts.TopUp {
		a.facts.Spent = a.money(field.ReadFigure(topUp, "topUpSpent", field.Whole))
		a.facts.Limit = a.money(field.ReadFigure(topUp, "monthlyTopUpAmount", field.Whole))
	}
}

// money is a figure that is omitted when it is zero.
func (a *answer) money(f field.Figure) usage.Amount {
	if f.Unreadable() {
		a.problems = append(a.problems, unreadableField(f.Field))
		return usage.Amount{}
	}
	return f.OrZero()
}

// readAccount reads the account: the user's ID, else team and e-mail (PROTOCOL.md 3.1).
// It never uses the API key, which changes.
func readAccount(raw []byte) usage.Account {
	text := func(name string) string {
		if v := gjson.GetBytes(raw, "userStatus."+name); v.Type == gjson.String {
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

func unreadableField(name string) usage.Problem {
	return usage.Problem{Code: usage.CodeUnreadableField, Message: "The field " + name + " could not be read."}
}

func missingField(name, against string) usage.Problem {
	return usage.Problem{Code: usage.CodeUnreadableField, Message: "The field " + name + " is missing beside " + against + ", so the use is not known."}
}
