package windsurf

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestAnswerForms(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"plan_info_beside_the_status_wins_field_by_field",
			`{"planInfo":{"billingStrategy":"credits"},"userStatus":{"planStatus":{
				"planInfo":{"billingStrategy":"quota","monthlyPromptCredits":100},"usedPromptCredits":100}}}`,
			[]string{"credits", "prompt_credits exhausted used=1 of=1 left=0", "binding prompt_credits"},
		},
		{
			"byte_order_mark_is_passed_over",
			"\xef\xbb\xbf" + planOf(`"availablePromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=0 of=1 left=1", "binding prompt_credits"},
		},
	})
}

// Caches write zeros: a missing figure is not metered.
func TestCacheForms(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"cache_percentage_missing_is_not_metered",
			`{"quotaUsage":{"dailyRemainingPercent":0,"dailyResetAtUnix":` + usagetest.Tomorrow + `,"weeklyResetAtUnix":` + usagetest.Sunday + `}}`,
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0 resets=2026-02-04", "binding daily_quota"},
		},
		{
			"cache_quota_wins_over_usage",
			`{"usage":{"messages":100,"usedMessages":1},"quotaUsage":{"weeklyRemainingPercent":12}}`,
			[]string{"quota", "weekly_quota ok used=88 of=100 left=12", "binding weekly_quota"},
		},
		{
			"cache_times_are_milliseconds_and_seconds",
			`{"startTimestamp":1770000000000,"endTimestamp":1771000000000,"usage":{"messages":100,"usedMessages":40}}`,
			[]string{"credits", "prompt_credits ok used=0.4 of=1 left=0.6 resets=2026-02-13", "binding prompt_credits"},
		},
		{
			"cache_messages_of_minus_one_do_not_apply",
			`{"billingStrategy":"credits","totalMessages":-1,"remainingMessages":-1,"overageBalanceMicros":1000000}`,
			[]string{"credits", "extra_usage ok left=1"},
		},
		{
			"cache_never_says_unlimited",
			`{"usage":{"messages":-1,"usedMessages":-1,"flexCredits":100,"usedFlexCredits":-1,"remainingFlexCredits":20}}`,
			[]string{"credits", "flex_credits ok used=0.8 of=1 left=0.2", "binding flex_credits"},
		},
		{
			"cache_use_that_is_missing_is_not_metered",
			`{"usage":{"messages":100,"flexCredits":100,"usedFlexCredits":0}}`,
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"cache_with_more_left_than_there_was_is_unreadable",
			`{"usage":{"messages":100,"remainingMessages":250}}`,
			[]string{"credits", "prompt_credits unreadable", unread("remainingMessages")},
		},
		{
			"cache_hides_windows",
			`{"dailyRemainingPercent":9,"weeklyRemainingPercent":8,"hideDailyQuota":true,"hideWeeklyQuota":false}`,
			[]string{"quota", "weekly_quota ok used=92 of=100 left=8", "binding weekly_quota"},
		},
	})
}

func TestNoUsage(t *testing.T) {
	t.Parallel()
	type failed struct{ Code, Plan string }
	tests := []struct {
		name, raw string
		want      failed
	}{
		{"empty", ``, failed{usage.CodeBadPayload, ""}},
		{"null", `null`, failed{usage.CodeBadPayload, ""}},
		{"array", `[{"planStatus":{}}]`, failed{usage.CodeBadPayload, ""}},
		{"string", `"{}"`, failed{usage.CodeBadPayload, ""}},
		{"cut_off", `{"planStatus":{"availablePromptCredits":100}`, failed{usage.CodeBadPayload, ""}},
		{"trailing", `{} {}`, failed{usage.CodeBadPayload, ""}},
		{"nan", `{"planStatus":{"availablePromptCredits":NaN}}`, failed{usage.CodeBadPayload, ""}},
		{"utf16", "\xff\xfe{\x00}\x00", failed{usage.CodeBadPayload, ""}},
		{"nested_beyond_reason", strings.Repeat(`{"a":`, 1e6) + "1" + strings.Repeat(`}`, 1e6), failed{usage.CodeBadPayload, ""}},
		{"empty_object", `{}`, failed{usage.CodeNoPlanStatus, ""}},
		{"unknown_object", `{"code":"internal","message":"x"}`, failed{usage.CodeNoPlanStatus, ""}},
		{"user_status_null", `{"userStatus":null}`, failed{usage.CodeNoPlanStatus, ""}},
		{"user_status_array", `{"userStatus":[{"planStatus":{"availablePromptCredits":100}}]}`, failed{usage.CodeNoPlanStatus, ""}},
		{"user_status_string", `{"userStatus":"{\"planStatus\":{\"availablePromptCredits\":-1}}"}`, failed{usage.CodeNoPlanStatus, ""}},
		{"plan_status_string", `{"planStatus":"{\"availablePromptCredits\":-1}"}`, failed{usage.CodeNoPlanStatus, ""}},
		{"plan_status_null_is_no_cache", `{"userStatus":{"planStatus":null},"planName":"Pro"}`, failed{usage.CodeNoPlanStatus, ""}},
		{"plan_known_without_status", `{"planInfo":{"planName":"Pro"}}`, failed{usage.CodeNoPlanStatus, "Pro"}},
		{"empty_status", `{"planStatus":{}}`, failed{usage.CodeNoUsageFields, ""}},
		{"plan_known_without_figures", `{"planStatus":{"planInfo":{"planName":"Pro"}}}`, failed{usage.CodeNoUsageFields, "Pro"}},
		{
			"every_window_hidden",
			`{"planStatus":{"planInfo":{"hideDailyQuota":true,"hideWeeklyQuota":true},"dailyQuotaRemainingPercent":1}}`,
			failed{usage.CodeNoUsageFields, ""},
		},
		{"acu_plan_without_figures", `{"planStatus":{"planInfo":{"billingStrategy":3},"availablePromptCredits":-1}}`, failed{usage.CodeNoUsageFields, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(tt.raw), usage.Source{Kind: usage.KindFile, PID: 7})
			if err == nil {
				t.Fatalf("error %v, snapshot %v", err, brief(s))
			}
			if diff := cmp.Diff(tt.want, failed{say.Code(err), s.PlanName}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Source.PID != 7 || len(s.Meters) > 0 {
				t.Errorf("snapshot %+v", s)
			}
		})
	}
}
