package windsurf

import "windsock/usage"

// The lists of what a saved answer may have in it (PROTOCOL.md 3.1, 5.3, 6). All
// that Decode reads is here, and TestAnonymizeKeepsWhatIsRead holds that.

// rootFields are those of an answer in any of its forms: the caches have theirs at
// the top.
var rootFields = fields{
	"userStatus": within(userFields),
	"planStatus": within(statusFields),
	"planInfo":   within(infoFields),

	"planName":        planLabel,
	"billingStrategy": strategy,
	"startTimestamp":  number(1),
	"endTimestamp":    number(1),
	"usage": within(fields{
		"duration": number(1), "messages": hundredths, "usedMessages": hundredths, "remainingMessages": hundredths,
		"flowActions": hundredths, "usedFlowActions": hundredths, "remainingFlowActions": hundredths,
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
	"overageBalanceMicros":       number(scaleMicros),
	"isDevinFree":                boolean,
	"hasBillingWritePermissions": boolean,
	"topUpStatus":                within(topUpFields),
	"gracePeriodStatus":          gracePeriod,
	"gracePeriodEnd":             date,
	"wasReducedByOrphanedUsage":  boolean,
}

// Scales that many fields have.
var (
	hundredths = number(scaleHundredths)
	whole      = number(scaleWhole)
)

// Enums that are read.
var (
	strategy    = enum("BILLING_STRATEGY_", billingWords, string(usage.BillingCredits), string(usage.BillingQuota), string(usage.BillingACU))
	gracePeriod = enum("GRACE_PERIOD_STATUS_", billingWords, "none", "active", "expired")
	teamsTier   = enum("TEAMS_TIER_", planWords)
)

// userFields are those of UserStatus that do not say who it is.
var userFields = fields{
	"planStatus":                within(statusFields),
	"pro":                       boolean,
	"teamsTier":                 teamsTier,
	"userUsedPromptCredits":     hundredths,
	"userUsedFlowCredits":       hundredths,
	"windsurfProTrialEndTime":   date,
	"maxNumPremiumChatMessages": number(1),
	"cascadeModelConfigData": within(fields{
		"clientModelConfigs": each(modelConfig),
		"arenaModeCostFast":  whole, "arenaModeCostSmart": whole,
	}),
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

var topUpFields = fields{
	"topUpTransactionStatus": enum("TRANSACTION_STATUS_", billingWords),
	"topUpEnabled":           boolean,
	"topUpCriteriaMet":       boolean,
	"monthlyTopUpAmount":     whole, "topUpSpent": whole, "topUpIncrement": whole,
}

// infoFields are those of PlanInfo that have to do with the bill.
var infoFields = fields{
	"planName":                        planLabel,
	"teamsTier":                       teamsTier,
	"billingStrategy":                 strategy,
	"monthlyPromptCredits":            hundredths,
	"monthlyFlowCredits":              hundredths,
	"monthlyFlexCreditPurchaseAmount": hundredths,
	"maxNumPremiumChatMessages":       number(1),
	"allowPremiumCommandModels":       boolean,
	"allowStickyPremiumModels":        boolean,
	"canBuyMoreCredits":               boolean,
	"hasPaidFeatures":                 boolean,
	"hideDailyQuota":                  boolean,
	"hideWeeklyQuota":                 boolean,
	"isDevin":                         boolean,
	"isEnterprise":                    boolean,
	"isTeams":                         boolean,
}

// modelFields are those of ClientModelConfig that say what it costs and whether it
// can be had.
var modelFields = fields{
	"label":    modelName("Model ", false),
	"modelUid": modelName("model-", true),
	"modelOrAlias": within(fields{
		"model": enum("MODEL_", modelWords), "alias": enum("MODEL_ALIAS_", modelWords), "modelUid": modelName("model-", true),
	}),
	"creditMultiplier": whole,
	"disabled":         boolean, "isBeta": boolean, "isNew": boolean, "isPremium": boolean, "isRecommended": boolean,
	"isCapacityLimited": boolean, "isDefaultModelInFamily": boolean, "partialRollout": boolean,
	"supportsImages": boolean, "supportsLegacy": boolean,
	"rolloutFraction": whole,
	"maxTokens":       number(1),
	"provider":        enum("MODEL_PROVIDER_", modelWords),
	"apiProvider":     enum("API_PROVIDER_", modelWords),
	"pricingType":     enum("MODEL_PRICING_TYPE_", billingWords),
	"modelCostTier":   enum("MODEL_COST_TIER_", billingWords),
	"allowedTiers":    each(teamsTier),
	"promoStatus":     within(fields{"isActive": boolean, "endDate": date}),
	"fastStatus":      within(fields{"isActive": boolean}),
}
