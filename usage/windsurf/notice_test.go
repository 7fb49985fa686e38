package windsurf

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage/usagetest"
	"windsock/usage/words"
)

func TestNotices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, fields string
		want         []string
	}{
		{"none", `"gracePeriodStatus":"GRACE_PERIOD_STATUS_NONE","wasReducedByOrphanedUsage":false,"topUpStatus":{"topUpSpent":5}`, nil},
		{
			"top_up_spent_of", `"topUpStatus":{"topUpEnabled":true,"topUpSpent":2000,"monthlyTopUpAmount":"16000","topUpIncrement":500}`,
			[]string{"auto_top_up: Auto top-up is on. It has spent 2,000 of 16,000 a month (the server states no unit)."},
		},
		{
			"top_up_without_a_limit", `"topUpStatus":{"topUpEnabled":"true"}`,
			[]string{"auto_top_up: Auto top-up is on. It has spent 0 (the server states no unit)."},
		},
		{
			"top_up_unreadable", `"topUpStatus":{"topUpEnabled":true,"topUpSpent":"some"}`,
			[]string{
				"auto_top_up: Auto top-up is on. What it has spent could not be read.",
				"unreadable_field: The field topUpSpent could not be read.",
			},
		},
		{
			"grace_until", `"gracePeriodStatus":"GRACE_PERIOD_STATUS_ACTIVE","gracePeriodEnd":"2026-02-10T09:00:00Z"`,
			[]string{"grace_period: A grace period is running until 10 Feb 2026, 10:00 CET."},
		},
		{
			"grace_without_end", `"gracePeriodStatus":2,"gracePeriodEnd":"?"`,
			[]string{"grace_period: A grace period is running; the server does not say until when."},
		},
		{
			"grace_whose_end_has_passed", `"gracePeriodStatus":2,"gracePeriodEnd":"2026-02-01T09:00:00Z"`,
			[]string{"grace_period: The grace period ended on 1 Feb 2026, 10:00 CET."},
		},
		{"grace_expired", `"gracePeriodStatus":"3"`, []string{"grace_period: The grace period has ended."}},
		{"grace_of_the_future", `"gracePeriodStatus":17`, nil},
		{
			"orphaned", `"wasReducedByOrphanedUsage":true`,
			[]string{"orphaned_usage: The server reduced the credits by usage that it calls orphaned."},
		},
		{
			"on_extra_usage", `"weeklyQuotaResetAtUnix":` + usagetest.Sunday + `,"overageBalanceMicros":12400000`,
			[]string{"on_extra_usage: The quota is used up; prompts are paid from extra usage: $12.40 left."},
		},
		{"used_up_without_money", `"weeklyQuotaResetAtUnix":` + usagetest.Sunday + `,"overageBalanceMicros":0`, nil},
		{"rolled_over_is_not_used_up", `"weeklyQuotaResetAtUnix":` + usagetest.Yesterday + `,"overageBalanceMicros":12400000`, nil},
		{"in_debt", `"overageBalanceMicros":-7940000`, []string{"in_debt: Extra usage is in debt: −$7.94 owed."}},
		{"in_debt_by_a_trifle", `"overageBalanceMicros":-4000`, []string{"in_debt: Extra usage is in debt: <$0.01 owed."}},
	}
	zone := words.Words{Location: time.FixedZone("CET", 3600)}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := decoded(t, `{"planStatus":{"dailyQuotaRemainingPercent":50,`+tt.fields+`}}`)
			var got []string
			for _, n := range s.Notices {
				got = append(got, n.Code+": "+zone.Notice(n))
			}
			for _, p := range s.Problems {
				got = append(got, p.Code+": "+p.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
