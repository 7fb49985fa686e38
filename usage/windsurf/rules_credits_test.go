package windsurf

import "testing"

func TestCreditRules(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"negative_pool_is_unlimited",
			planOf(`"availablePromptCredits":"-1","usedPromptCredits":5,"availableFlexCredits":500,"usedFlexCredits":100`),
			[]string{"credits", "prompt_credits unlimited", "flex_credits ok used=1 of=5 left=4"},
		},
		{
			"every_line_unlimited_is_billing_unlimited",
			planOf(`"availablePromptCredits":-1,"overageBalanceMicros":-1`),
			[]string{"unlimited", "prompt_credits unlimited", "extra_usage ok left=-0.000001"},
		},
		{
			"quota_plan_ignores_credits_of_minus_one",
			quotaPlan(`"availablePromptCredits":-1,"availableFlexCredits":700,"dailyQuotaRemainingPercent":1`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "binding daily_quota"},
		},
		{
			"quota_plan_ignores_unreadable_credits",
			quotaPlan(`"availablePromptCredits":"x","dailyQuotaRemainingPercent":1`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "binding daily_quota"},
		},
		{
			"pool_of_zero_is_no_meter",
			planOf(`"availablePromptCredits":0,"usedPromptCredits":0,"availableFlexCredits":100`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"pool_of_zero_with_the_grant_used_is_exhausted",
			planOf(`"planInfo":{"monthlyPromptCredits":50000},"usedPromptCredits":50100,"planEnd":"2026-02-18T00:00:00Z"`),
			[]string{"credits", "prompt_credits exhausted used=501 of=500 left=0 resets=2026-02-18", "binding prompt_credits"},
		},
		{
			"pool_of_zero_with_less_used_than_granted_is_no_meter",
			planOf(`"planInfo":{"monthlyPromptCredits":50000},"usedPromptCredits":49999,"availableFlexCredits":100`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"grant_that_is_needed_and_unreadable",
			planOf(`"planInfo":{"monthlyPromptCredits":"lots"},"usedPromptCredits":49999`),
			[]string{"credits", "prompt_credits unreadable", unread("monthlyPromptCredits")},
		},
		{
			"grant_that_is_not_needed_and_unreadable",
			planOf(`"planInfo":{"monthlyPromptCredits":"lots"},"availablePromptCredits":200,"usedPromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=1 of=2 left=1", "binding prompt_credits"},
		},
		{
			"negative_use_is_zero",
			planOf(`"availablePromptCredits":200,"usedPromptCredits":-1`),
			[]string{"credits", "prompt_credits ok used=0 of=2 left=2", "binding prompt_credits"},
		},
		{
			"use_above_the_pool_is_exhausted_as_it_is",
			planOf(`"availablePromptCredits":200,"usedPromptCredits":250`),
			[]string{"credits", "prompt_credits exhausted used=2.5 of=2 left=0", "binding prompt_credits"},
		},
		{
			"pool_that_is_unreadable_leaves_the_others",
			planOf(`"availablePromptCredits":"0x10","availableFlexCredits":200`),
			[]string{"credits", "prompt_credits unreadable", "flex_credits ok used=0 of=2 left=2", unread("availablePromptCredits")},
		},
		{
			"use_that_is_unreadable_is_never_unlimited",
			planOf(`"availablePromptCredits":-1,"usedPromptCredits":[]`),
			[]string{"credits", "prompt_credits unreadable", unread("usedPromptCredits")},
		},
		{
			"absurd_number_is_unreadable",
			planOf(`"availablePromptCredits":1e300`),
			[]string{"credits", "prompt_credits unreadable", unread("availablePromptCredits")},
		},
		{
			"flow_credits_need_a_grant",
			planOf(`"planInfo":{"monthlyFlowCredits":100},"availableFlowCredits":300,"usedFlowCredits":100,"availablePromptCredits":100`),
			[]string{
				"credits", "prompt_credits ok used=0 of=1 left=1", "flow_credits ok used=1 of=3 left=2",
				"binding flow_credits",
			},
		},
		{
			"flow_credits_without_a_grant_are_passed_over",
			planOf(`"planInfo":{"monthlyFlowCredits":0},"availableFlowCredits":-1,"availablePromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=0 of=1 left=1", "binding prompt_credits"},
		},
	})
}
