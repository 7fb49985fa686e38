package windsurf

import "windsock/usage"

// The fields of a saved answer: exactly those that Decode reads (PROTOCOL.md 5.3, 6).
// TestAnonymizeKeepsWhatIsRead checks it.

// Scales that many fields have.
var (
	hundredths = number(scaleHundredths)
	whole      = number(scaleWhole)
)

// Enums that are read.
var (
	strategy = enum("BILLING_STRATEGY_",
		string(usage.BillingUnknown), string(usage.BillingCredits), string(usage.BillingQuota), string(usage.BillingACU))
	gracePeriod = enum("GRACE_PERIOD_STATUS_", "", "none", "active", "expired")
)

// rootFields are the top-level fields of an answer in any form; the figures of caches
// are among them.
var rootFields = fields{
	"userStatus": within(fields{"planStatus": within(statusFields)}),
	"planStatus": within(statusFields),
	"planInfo":   within(infoFields),

	"planName":        planLabel,
	"billingStrategy": strategy,
	"startTimestamp":  number(1),
	"endTimestamp":    number(1),
	"usage": within(fields{
		"messages": hundredths, "usedMessages": hundredths, "remainingMessages": hundredths,
		"flexCredits": hundredths, "usedFlexCredits": hundredths, "remainingFlexCredits": hundredths,
	}),
	"quotaUsage": within(fields{
		"dailyRemainingPercent": whole, "weeklyRemainingPercent": whole,
		"dailyResetAtUnix": number(1), "weeklyResetAtUnix": number(1),
		"overageBalanceMicros": number(scaleMicros),
	}),
	"dailyRemainingPercent": whole, "weeklyRemainingPercent": whole,
	"dailyResetAtUnix": number(1), "weeklyResetAtUnix": number(1),
	"hideDailyQuota": boolean, "hideWeeklyQuota": boolean,
	"totalMessages": hundredths, "remainingMessages": hundredths,
	"overageBalanceMicros":      number(scaleMicros),
	"isDevinFree":               boolean,
	"topUpStatus":               within(topUpFields),
	"gracePeriodStatus":         gracePeriod,
	"gracePeriodEnd":            date,
	"wasReducedByOrphanedUsage": boolean,
}

var statusFields = fields{
	"planInfo":  within(infoFields),
	"planStart": date, "planEnd": date,
	"availableFlexCredits": hundredths, "availablePromptCredits": hundredths, "availableFlowCredits": hundredths,
	"usedFlexCredits": hundredths, "usedPromptCredits": hundredths, "usedFlowCredits": hundredths,
	"topUpStatus":                 within(topUpFields),
	"wasReducedByOrphanedUsage":   boolean,
	"gracePeriodStatus":           gracePeriod,
	"gracePeriodEnd":              date,
	"dailyQuotaRemainingPercent":  whole,
	"weeklyQuotaRemainingPercent": whole,
	"overageBalanceMicros":        number(scaleMicros),
	"dailyQuotaResetAtUnix":       number(1),
	"weeklyQuotaResetAtUnix":      number(1),
	"acuConsumed":                 whole,
	"acuLimit":                    whole,
}

var topUpFields = fields{"topUpEnabled": boolean, "monthlyTopUpAmount": whole, "topUpSpent": whole}

var infoFields = fields{
	"planName":             planLabel,
	"billingStrategy":      strategy,
	"monthlyPromptCredits": hundredths,
	"monthlyFlowCredits":   hundredths,
	"hideDailyQuota":       boolean,
	"hideWeeklyQuota":      boolean,
}
