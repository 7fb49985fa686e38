package cursor

import (
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"windsock/usage/field"
	"windsock/usage/saved"
)

// Anonymize returns the parts of the answers that [Decode] reads, and nothing else, fit
// for a public bug report, as [saved.Answer] writes them. Decode gives the same result
// for it as for raw, errors included, with two exceptions: the account, and a plan's
// name that is not one of the product's, which becomes [saved.RemovedName].
func Anonymize(raw []byte) []byte { return saved.Answer(raw, rootFields) }

// rootFields are the members of the answers.
var rootFields = saved.Fields{
	"GetCurrentPeriodUsage": saved.Within(saved.Fields{
		"billingCycleStart": saved.Number(1), "billingCycleEnd": saved.Number(1),
		"planUsage": saved.Within(planFields),
		"spendLimitUsage": saved.Within(saved.Fields{
			"individualUsed": hundredths, "individualLimit": hundredths, "individualRemaining": hundredths,
		}),
	}),
	"GetPlanInfo":  saved.Within(saved.Fields{"planInfo": saved.Within(saved.Fields{"planName": planName})}),
	"GetHardLimit": saved.Within(saved.Fields{"noUsageBasedAllowed": saved.Boolean}),
	"usage":        saved.Keyed(ownBucket, bucketOrDate),
	"usage-summary": saved.Within(saved.Fields{
		"billingCycleStart": saved.Date, "billingCycleEnd": saved.Date,
		"membershipType": planName, "isUnlimited": saved.Boolean,
		"individualUsage": saved.Within(saved.Fields{
			"plan": saved.Within(planFields), "overall": saved.Within(planFields), "onDemand": saved.Within(planFields),
		}),
		"teamUsage": saved.Within(saved.Fields{"onDemand": saved.Within(saved.Fields{"limit": hundredths})}),
	}),
}

// Scales that many fields have.
var (
	hundredths = saved.Number(field.Hundredths)
	whole      = saved.Number(field.Whole)
)

var planFields = saved.Fields{
	"enabled": saved.Boolean, "used": hundredths, "limit": hundredths, "remaining": hundredths,
	"includedSpend": hundredths, "totalSpend": hundredths,
	"autoPercentUsed": whole, "apiPercentUsed": whole, "totalPercentUsed": whole,
}

// planName keeps the name of a public plan and the types of membership. A company's own
// plan may carry its name.
var planName = saved.Name(slices.Concat(
	[]string{"Free", "Hobby", "Start", "Pro", "Pro+", "Pro Plus", "pro plan", "Ultra", "Team", "Teams", "Teams Premium", "Business", "Enterprise"},
	slices.Collect(maps.Keys(memberships)), slices.Collect(maps.Values(memberships)),
)...)

// ownBucket is what the names of counters look like: those of models. The ID of a person, of
// a team or of a key looks much like any other name.
var ownBucket = saved.Like(`^(startOfMonth|(gpt|claude|gemini|grok|composer|o[0-9])(-[a-z0-9.]{1,8}){0,4})$`)

var bucket = saved.Within(saved.Fields{"numRequests": whole, "maxRequestUsage": whole})

// bucketOrDate keeps a counter, or the date beside the counters.
func bucketOrDate(s *saved.Saver, v gjson.Result) {
	if v.Type == gjson.String {
		saved.Date(s, v)
		return
	}
	bucket(s, v)
}
