package windsurf

import (
	"windsock/usage"
	"windsock/usage/field"
	"windsock/usage/saved"
)

// Anonymize returns the parts of an answer that [Decode] reads, and nothing else, fit
// for a public bug report, as [saved.Answer] writes them. Decode gives the same result
// for it as for raw, errors included, with two exceptions: the account, and a plan's
// name that is not one of the product's, which becomes [saved.RemovedName].
func Anonymize(raw []byte) []byte { return saved.Answer(raw, rootFields) }

// planLabel keeps the name of a public plan. A company's own plan may carry its name.
var planLabel = saved.Name(
	"Free", "Trial", "Pro", "Pro Trial", "Pro Ultimate", "Max", "Ultimate", "Individual", "Student",
	"Teams", "Teams Ultimate", "Enterprise", "Enterprise SaaS", "Enterprise Self-Hosted", "Hybrid",
	"Devin", "Devin Free", "Devin Pro", "Devin Teams", "Devin Enterprise",
)

// The fields of a saved answer: exactly those that Decode reads (PROTOCOL.md 5.3, 6).
// TestAnonymizeKeepsWhatIsRead checks it.

// Scales that many fields have.
var (
	hundredths = saved.Number(field.Hundredths)
	whole      = saved.Number(field.Whole)
)

// Enums that are read.
var (
	strategy = saved.Enum("BILLING_STRATEGY_",
		string(usage.BillingUnknown), string(usage.BillingCredits), string(usage.BillingQuota), string(usage.BillingACU))
	gracePeriod = saved.Enum("GRACE_PERIOD_STATUS_", "", "none", "active", "expired")
)

// rootFields are the top-level fields of an answer in any form; the figures of caches
// are among them.
var rootFields = saved.Fields{
	"userStatus": saved.Within(saved.Fields{"planStatus": saved.Within(statusFields)}),
	"planStatus": saved.Within(statusFields),
	"planInfo":   saved.Within(infoFields),

	"planName":        planLabel,
	"billingStrategy": strategy,
	"startTimestamp":  saved.Number(1),
	"endTimestamp":    saved.Number(1),
	"usage": saved.Within(saved.Fields{
		"messages": hundredths, "usedMessages": hundredths, "remainingMessages": hundredths,
		"flexCredits": hundredths, "usedFlexCredits": hundredths, "remainingFlexCredits": hundredths,
	}),
	"quotaUsage": saved.Within(saved.Fields{
		"dailyRemainingPercent": whole, "weeklyRemainingPercent": whole,
		"dailyResetAtUnix": saved.Number(1), "weeklyResetAtUnix": saved.Number(1),
		"overageBalanceMicros": saved.Number(field.Micros),
	}),
	"dailyRemainingPercent": whole, "weeklyRemainingPercent": whole,
	"dailyResetAtUnix": saved.Number(1), "weeklyResetAtUnix": saved.Number(1),
	"hideDailyQuota": saved.Boolean, "hideWeeklyQuota": saved.Boolean,
	"totalMessages": hundredths, "remainingMessages": hundredths,
	"overageBalanceMicros":      saved.Number(field.Micros),
	"isDevinFree":               saved.Boolean,
	"topUpStatus":               saved.Within(topUpFields),
	"gracePeriodStatus":         gracePeriod,
	"gracePeriodEnd":            saved.Date,
	"wasReducedByOrphanedUsage": saved.Boolean,
}

var statusFields = saved.Fields{
	"planInfo":  saved.Within(infoFields),
	"planStart": saved.Date, "planEnd": saved.Date,
	"availableFlexCredits": hundredths, "availablePromptCredits": hundredths, "availableFlowCredits": hundredths,
	"usedFlexCredits": hundredths, "usedPromptCredits": hundredths, "usedFlowCredits": hundredths,
	"topUpStatus":                 saved.Within(topUpFields),
	"wasReducedByOrphanedUsage":   saved.Boolean,
	"gracePeriodStatus":           gracePeriod,
	"gracePeriodEnd":              saved.Date,
	"dailyQuotaRemainingPercent":  whole,
	"weeklyQuotaRemainingPercent": whole,
	"overageBalanceMicros":        saved.Number(field.Micros),
	"dailyQuotaResetAtUnix":       saved.Number(1),
	"weeklyQuotaResetAtUnix":      saved.Number(1),
	"acuConsumed":                 whole,
	"acuLimit":                    whole,
}

var topUpFields = saved.Fields{"topUpEnabled": saved.Boolean, "monthlyTopUpAmount": whole, "topUpSpent": whole}

var infoFields = saved.Fields{
	"planName":             planLabel,
	"billingStrategy":      strategy,
	"monthlyPromptCredits": hundredths,
	"monthlyFlowCredits":   hundredths,
	"hideDailyQuota":       saved.Boolean,
	"hideWeeklyQuota":      saved.Boolean,
}
