package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Cursor is a made-up account of Cursor in a certain situation.
type Cursor struct {
	Name  string
	About string // one line, for people
	// Plan is the plan's display name; empty where nobody is signed in.
	Plan string
	// Team says that the account is a seat of a team: it has figures only for a question
	// that names the team.
	Team bool
	// OnDemandOff says that usage beyond the plan is switched off.
	OnDemandOff bool
	// Requests and MaxRequests are those of a plan by requests; MaxRequests is 0 for any
	// other plan.
	Requests, MaxRequests int

	pools fields // planUsage; nil where the account has no figures of its own
	extra fields // spendLimitUsage; nil where the answer has no on-demand usage
}

// fields are a message of Cursor's as it is sent: cents, and percentages in units of one
// per cent. What is 0 or false is left out, but not a percentage.
type fields map[string]any

// CursorScenarios returns all accounts of Cursor, the default first.
func CursorScenarios() []Cursor { return slices.Clone(cursors) }

// cursors is the table of all accounts.
var cursors = []Cursor{
	{
		Name: "individual", About: "Pro, 23 % of Cursor's models and 63 % of the others used", Plan: "Pro", OnDemandOff: true,
		// What is 0, here remaining, is left out. The dollars say that all is used up: the
		// percentages are right.
		pools: fields{
			"totalSpend": 9770, "includedSpend": 2000, "bonusSpend": 7770, "limit": 2000,
			"autoPercentUsed": 23.05, "apiPercentUsed": 63.44, "totalPercentUsed": 28.32,
		},
	},
	{
		Name: "free", About: "Free, one percentage alone", Plan: "Free",
		pools: fields{"totalPercentUsed": 35.0},
	},
	{
		Name: "exhausted", About: "Pro, both pools over their end", Plan: "Pro", OnDemandOff: true,
		pools: fields{
			"totalSpend": 26000, "includedSpend": 2000, "bonusSpend": 24000, "limit": 2000,
			"autoPercentUsed": 104.5, "apiPercentUsed": 100.0, "totalPercentUsed": 103.4,
		},
	},
	{
		Name: "on_demand", About: "Ultra, the other models used up, 17.85 USD on demand without a limit", Plan: "Ultra",
		pools: fields{
			"totalSpend": 52692, "includedSpend": 40000, "bonusSpend": 12692, "limit": 40000,
			"autoPercentUsed": 41.25, "apiPercentUsed": 100.0, "totalPercentUsed": 55.9,
		},
		extra: fields{"totalSpend": 1785, "individualUsed": 1785, "limitType": "user"},
	},
	{
		Name: "on_demand_capped", About: "Pro, 40 of 50 USD on demand", Plan: "Pro",
		pools: fields{
			"totalSpend": 8000, "includedSpend": 2000, "bonusSpend": 6000, "limit": 2000,
			"autoPercentUsed": 12.5, "apiPercentUsed": 100.0, "totalPercentUsed": 32.7,
		},
		extra: fields{"totalSpend": 4000, "individualLimit": 5000, "individualUsed": 4000, "individualRemaining": 1000, "limitType": "user"},
	},
	{
		Name: "team", About: "Team, a seat with figures of its own", Plan: "Team",
		pools: fields{"limit": 2000, "totalSpend": 137, "includedSpend": 137, "remaining": 1863, "autoPercentUsed": 0.3728571428571429, "apiPercentUsed": 2.025},
		extra: fields{"pooledLimit": 50000, "pooledRemaining": 50000, "individualLimit": 10000, "individualRemaining": 10000, "limitType": "team"},
	},
	{
		Name: "team_sentinel", About: "Team, a seat whose figures come with the team only", Plan: "Team", Team: true,
		pools: fields{"limit": 4000, "totalSpend": 1210, "includedSpend": 1210, "remaining": 2790, "autoPercentUsed": 8.0, "apiPercentUsed": 44.0},
	},
	{
		Name: "requests", About: "Enterprise, 37 of 750 requests used", Plan: "Enterprise",
		Requests: 37, MaxRequests: 750,
	},
	{Name: "signed_out", About: "nobody is signed in"},
}

// CursorNamed returns the account with that name. The error lists the existing names.
func CursorNamed(name string) (Cursor, error) {
	names := make([]string, 0, len(cursors))
	for _, c := range cursors {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Cursor{}, fmt.Errorf("unknown scenario of Cursor %q, want one of %s", name, strings.Join(names, ", "))
}

// cursorElapsed is the age of the billing cycle at the start.
const cursorElapsed = 12 * day

// Cycle is the billing cycle.
func (Cursor) Cycle(c Clock) (start, end time.Time) {
	end = c.next(month-cursorElapsed, month)
	return end.Add(-month), end
}

// Period is the answer to GetCurrentPeriodUsage, to a question that names the account's
// team or one that does not. A cycle that ends as it begins says that the figures are a
// team's. Dates are in milliseconds, as text.
func (a Cursor) Period(c Clock, ofTeam bool) map[string]any {
	start, end := a.Cycle(c)
	if a.pools == nil || a.Team && !ofTeam {
		return fields{"billingCycleStart": Millis(start), "billingCycleEnd": Millis(start), "displayThreshold": 100}
	}
	answer := fields{
		"billingCycleStart": Millis(start), "billingCycleEnd": Millis(end), "planUsage": a.pools,
		"enabled": true, "displayThreshold": 200,
	}
	if a.extra != nil {
		answer["spendLimitUsage"] = a.extra
	}
	return answer
}

// Millis is a date as Cursor sends it.
func Millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
