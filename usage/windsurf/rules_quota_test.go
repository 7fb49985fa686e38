package windsurf

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// Zero is omitted on the wire: a reset without a percentage means that none is left.
func TestQuotaOfZero(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"percentage_missing_beside_reset_is_exhausted",
			quotaPlan(`"dailyQuotaResetAtUnix":` + usagetest.Tomorrow),
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0 resets=2026-02-04", "binding daily_quota"},
		},
		{
			"percentage_missing_without_reset_is_not_metered",
			quotaPlan(`"dailyQuotaRemainingPercent":7`),
			[]string{"quota", "daily_quota ok used=93 of=100 left=7", "binding daily_quota"},
		},
		{
			"percentage_missing_beside_unusable_reset_is_not_metered",
			quotaPlan(`"dailyQuotaRemainingPercent":7,"weeklyQuotaResetAtUnix":"soon"`),
			[]string{"quota", "daily_quota ok used=93 of=100 left=7", "binding daily_quota"},
		},
		{
			"null_is_absent",
			quotaPlan(`"dailyQuotaRemainingPercent":null,"weeklyQuotaRemainingPercent":null,"dailyQuotaResetAtUnix":` + usagetest.Tomorrow),
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0 resets=2026-02-04", "binding daily_quota"},
		},
		{
			"hidden_windows_have_no_meter",
			`{"planInfo":{"hideDailyQuota":"true"},"planStatus":{"planInfo":{"hideWeeklyQuota":true},
				"dailyQuotaRemainingPercent":"x","weeklyQuotaRemainingPercent":2,"overageBalanceMicros":0}}`,
			[]string{"quota", "extra_usage ok left=0"},
		},
		{
			"flag_that_is_none_hides_nothing",
			`{"planInfo":{"hideDailyQuota":"maybe"},"planStatus":{"dailyQuotaRemainingPercent":50}}`,
			[]string{"quota", "daily_quota ok used=50 of=100 left=50", unread("hideDailyQuota"), "binding daily_quota"},
		},
	})
}

func TestQuotaPercentages(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"percentage_below_zero_is_unreadable",
			quotaPlan(`"dailyQuotaRemainingPercent":-5,"weeklyQuotaRemainingPercent":40`),
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota ok used=60 of=100 left=40",
				unread("dailyQuotaRemainingPercent"), "binding weekly_quota",
			},
		},
		{
			"not_applicable_is_not_used_up",
			quotaPlan(`"dailyQuotaRemainingPercent":-1,"weeklyQuotaRemainingPercent":"-1","overageBalanceMicros":"5000000","dailyQuotaResetAtUnix":` + usagetest.Tomorrow),
			[]string{
				"quota", "daily_quota unreadable of=100 resets=2026-02-04", "weekly_quota unreadable of=100", "extra_usage ok left=5",
				unread("dailyQuotaRemainingPercent"), unread("weeklyQuotaRemainingPercent"),
			},
		},
		{
			"not_applicable_in_a_cache_is_not_used_up",
			`{"planName":"Pro","billingStrategy":"quota","quotaUsage":{"dailyRemainingPercent":-1,"weeklyRemainingPercent":12}}`,
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota ok used=88 of=100 left=12",
				unread("dailyRemainingPercent"), "binding weekly_quota",
			},
		},
		{
			"percentage_above_hundred_is_unreadable",
			quotaPlan(`"dailyQuotaRemainingPercent":100.5,"weeklyQuotaRemainingPercent":"40"`),
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota ok used=60 of=100 left=40",
				unread("dailyQuotaRemainingPercent"), "binding weekly_quota",
			},
		},
		{
			"percentage_that_is_no_number_is_unreadable",
			quotaPlan(`"dailyQuotaRemainingPercent":{},"weeklyQuotaRemainingPercent":"NaN"`),
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota unreadable of=100",
				unread("dailyQuotaRemainingPercent"), unread("weeklyQuotaRemainingPercent"),
			},
		},
		{
			"unreadable_percentage_keeps_its_reset",
			quotaPlan(`"dailyQuotaRemainingPercent":true,"dailyQuotaResetAtUnix":` + usagetest.Tomorrow),
			[]string{"quota", "daily_quota unreadable of=100 resets=2026-02-04", unread("dailyQuotaRemainingPercent")},
		},
	})
}

func TestResetInThePast(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"reset_in_the_past_has_rolled_over",
			quotaPlan(`"dailyQuotaRemainingPercent":3,"dailyQuotaResetAtUnix":` + usagetest.Yesterday),
			[]string{"quota", "daily_quota rolled_over of=100 resets=2026-02-02"},
		},
		{
			"exhausted_with_a_reset_in_the_past_has_rolled_over",
			quotaPlan(`"dailyQuotaResetAtUnix":` + usagetest.Yesterday + `,"weeklyQuotaRemainingPercent":80`),
			[]string{
				"quota", "daily_quota rolled_over of=100 resets=2026-02-02", "weekly_quota ok used=20 of=100 left=80",
				"binding weekly_quota",
			},
		},
		{
			"reset_at_this_moment_has_rolled_over",
			quotaPlan(`"dailyQuotaRemainingPercent":3,"dailyQuotaResetAtUnix":1770112800`),
			[]string{"quota", "daily_quota rolled_over of=100 resets=2026-02-03"},
		},
		{
			"cycle_that_ended_has_rolled_over",
			planOf(`"planEnd":"2026-02-01T00:00:00Z","availablePromptCredits":1000,"availableFlexCredits":1000`),
			[]string{"credits", "prompt_credits rolled_over resets=2026-02-01", "flex_credits ok used=0 of=10 left=10"},
		},
	})
}

func TestQuotaWindows(t *testing.T) {
	t.Parallel()
	s := decoded(t, `{"planStatus":{"dailyQuotaResetAtUnix":`+usagetest.Sunday+`,"weeklyQuotaResetAtUnix":`+usagetest.Sunday+`}}`)
	end := time.Unix(1770537600, 0).UTC()
	want := []usage.Window{{Start: end.Add(-24 * time.Hour), End: end}, {Start: end.Add(-168 * time.Hour), End: end}}
	got := []usage.Window{}
	for m := range slices.Values(s.Meters) {
		got = append(got, m.Window)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
