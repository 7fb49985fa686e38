package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// brief writes a snapshot in one line a meter, with its problems: what a rule
// is about fits in a table then.
func brief(s Snapshot) []string {
	lines := []string{string(s.Billing)}
	for _, m := range s.Meters {
		line := fmt.Sprintf("%s %s", m.ID, m.State)
		for _, f := range []struct {
			name   string
			amount Amount
		}{{"used", m.Used}, {"of", m.Total}, {"left", m.Remaining}} {
			if f.amount.Known() {
				line += fmt.Sprintf(" %s=%s", f.name, f.amount)
			}
		}
		if !m.Window.End.IsZero() {
			line += " resets=" + m.Window.End.Format("2006-01-02")
		}
		lines = append(lines, line)
	}
	for _, p := range s.Problems {
		lines = append(lines, p.Code+": "+p.Message)
	}
	if b, ok := s.Binding(); ok {
		lines = append(lines, "binding "+string(b.ID))
	}
	return lines
}

// 2026-02-04 and 2026-02-08, after noon; 2026-02-02, before it.
const (
	tomorrow  = "1770192000"
	sunday    = "1770537600"
	yesterday = "1770019200"
)

func TestRules(t *testing.T) {
	t.Parallel()
	quota := func(fields string) string {
		return `{"planStatus":{"planInfo":{"billingStrategy":"BILLING_STRATEGY_QUOTA"},` + fields + `}}`
	}
	status := func(fields string) string { return `{"planStatus":{` + fields + `}}` }
	bad := func(field string) string { return "unreadable_field: The field " + field + " could not be read." }
	tests := []struct {
		name, raw string
		want      []string
	}{
		// Mode.
		{
			"strategy_decides_over_fields",
			status(`"planInfo":{"billingStrategy":"BILLING_STRATEGY_CREDITS"},"dailyQuotaRemainingPercent":50,"availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"strategy_as_number",
			status(`"planInfo":{"billingStrategy":2},"dailyQuotaRemainingPercent":50,"availablePromptCredits":-1`),
			[]string{"quota", "daily_quota ok used=50 of=100 left=50", "binding daily_quota"},
		},
		{
			"strategy_as_number_in_string",
			status(`"planInfo":{"billingStrategy":"3"},"acuConsumed":1,"dailyQuotaRemainingPercent":50`),
			[]string{"acu", "acu ok used=1"},
		},
		{
			"strategy_as_word",
			status(`"planInfo":{"billingStrategy":"credits"},"availableFlexCredits":100,"acuConsumed":1`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"unknown_strategy_is_unspecified",
			status(`"planInfo":{"billingStrategy":"BILLING_STRATEGY_BARTER"},"acuConsumed":1.5,"acuLimit":2`),
			[]string{"acu", "acu ok used=1.5 of=2 left=0.5", "binding acu"},
		},
		{
			"unknown_strategy_number_is_unspecified",
			status(`"planInfo":{"billingStrategy":99},"acuConsumed":1`),
			[]string{"acu", "acu ok used=1"},
		},
		{
			"unspecified_quota_before_acu_before_credits",
			status(`"weeklyQuotaResetAtUnix":` + sunday + `,"acuConsumed":1,"availablePromptCredits":1000`),
			[]string{"quota", "weekly_quota exhausted used=100 of=100 left=0 resets=2026-02-08", "binding weekly_quota"},
		},
		{
			"unspecified_acu_before_credits",
			status(`"acuConsumed":0,"availablePromptCredits":1000`),
			[]string{"acu", "acu ok used=0"},
		},
		{
			"unspecified_unusable_reset_shows_nothing",
			status(`"weeklyQuotaResetAtUnix":"0","availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"unspecified_acu_of_minus_one_shows_nothing",
			status(`"acuLimit":-1,"acuConsumed":-1,"availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"balance_alone_is_unknown",
			status(`"overageBalanceMicros":"1500000"`),
			[]string{"unknown", "extra_usage ok left=1.5"},
		},

		// Zero is omitted on the wire, and written in the caches.
		{
			"percentage_missing_beside_reset_is_exhausted",
			quota(`"dailyQuotaResetAtUnix":` + tomorrow),
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0 resets=2026-02-04", "binding daily_quota"},
		},
		{
			"percentage_missing_without_reset_is_not_metered",
			quota(`"dailyQuotaRemainingPercent":7`),
			[]string{"quota", "daily_quota ok used=93 of=100 left=7", "binding daily_quota"},
		},
		{
			"percentage_missing_beside_unusable_reset_is_not_metered",
			quota(`"dailyQuotaRemainingPercent":7,"weeklyQuotaResetAtUnix":"soon"`),
			[]string{"quota", "daily_quota ok used=93 of=100 left=7", "binding daily_quota"},
		},
		{
			"null_is_absent",
			quota(`"dailyQuotaRemainingPercent":null,"weeklyQuotaRemainingPercent":null,"dailyQuotaResetAtUnix":` + tomorrow),
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
			[]string{"quota", "daily_quota ok used=50 of=100 left=50", bad("hideDailyQuota"), "binding daily_quota"},
		},
		{
			"cache_percentage_missing_is_not_metered",
			`{"quotaUsage":{"dailyRemainingPercent":0,"dailyResetAtUnix":` + tomorrow + `,"weeklyResetAtUnix":` + sunday + `}}`,
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0 resets=2026-02-04", "binding daily_quota"},
		},

		// Percentages.
		{
			"percentage_below_zero_is_exhausted",
			quota(`"dailyQuotaRemainingPercent":-5`),
			[]string{"quota", "daily_quota exhausted used=100 of=100 left=0", "binding daily_quota"},
		},
		{
			"percentage_above_hundred_is_unreadable",
			quota(`"dailyQuotaRemainingPercent":100.5,"weeklyQuotaRemainingPercent":"40"`),
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota ok used=60 of=100 left=40",
				bad("dailyQuotaRemainingPercent"), "binding weekly_quota",
			},
		},
		{
			"percentage_that_is_no_number_is_unreadable",
			quota(`"dailyQuotaRemainingPercent":{},"weeklyQuotaRemainingPercent":"NaN"`),
			[]string{
				"quota", "daily_quota unreadable of=100", "weekly_quota unreadable of=100",
				bad("dailyQuotaRemainingPercent"), bad("weeklyQuotaRemainingPercent"),
			},
		},
		{
			"unreadable_percentage_keeps_its_reset",
			quota(`"dailyQuotaRemainingPercent":true,"dailyQuotaResetAtUnix":` + tomorrow),
			[]string{"quota", "daily_quota unreadable of=100 resets=2026-02-04", bad("dailyQuotaRemainingPercent")},
		},

		// A reset in the past.
		{
			"reset_in_the_past_has_rolled_over",
			quota(`"dailyQuotaRemainingPercent":3,"dailyQuotaResetAtUnix":` + yesterday),
			[]string{"quota", "daily_quota rolled_over of=100 resets=2026-02-02"},
		},
		{
			"exhausted_with_a_reset_in_the_past_has_rolled_over",
			quota(`"dailyQuotaResetAtUnix":` + yesterday + `,"weeklyQuotaRemainingPercent":80`),
			[]string{
				"quota", "daily_quota rolled_over of=100 resets=2026-02-02", "weekly_quota ok used=20 of=100 left=80",
				"binding weekly_quota",
			},
		},
		{
			"reset_at_this_moment_has_rolled_over",
			quota(`"dailyQuotaRemainingPercent":3,"dailyQuotaResetAtUnix":1770112800`),
			[]string{"quota", "daily_quota rolled_over of=100 resets=2026-02-03"},
		},
		{
			"cycle_that_ended_has_rolled_over",
			status(`"planEnd":"2026-02-01T00:00:00Z","availablePromptCredits":1000,"availableFlexCredits":1000`),
			[]string{"credits", "prompt_credits rolled_over resets=2026-02-01", "flex_credits ok used=0 of=10 left=10"},
		},

		// Credits.
		{
			"negative_pool_is_unlimited",
			status(`"availablePromptCredits":"-1","usedPromptCredits":5,"availableFlexCredits":500,"usedFlexCredits":100`),
			[]string{"credits", "prompt_credits unlimited", "flex_credits ok used=1 of=5 left=4"},
		},
		{
			"every_line_unlimited_is_billing_unlimited",
			status(`"availablePromptCredits":-1,"overageBalanceMicros":-1`),
			[]string{"unlimited", "prompt_credits unlimited", "extra_usage ok left=-0.000001"},
		},
		{
			"quota_plan_ignores_credits_of_minus_one",
			quota(`"availablePromptCredits":-1,"availableFlexCredits":700,"dailyQuotaRemainingPercent":1`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "binding daily_quota"},
		},
		{
			"quota_plan_ignores_unreadable_credits",
			quota(`"availablePromptCredits":"x","dailyQuotaRemainingPercent":1`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "binding daily_quota"},
		},
		{
			"pool_of_zero_is_no_meter",
			status(`"availablePromptCredits":0,"usedPromptCredits":0,"availableFlexCredits":100`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"pool_of_zero_with_the_grant_used_is_exhausted",
			status(`"planInfo":{"monthlyPromptCredits":50000},"usedPromptCredits":50100,"planEnd":"2026-02-18T00:00:00Z"`),
			[]string{"credits", "prompt_credits exhausted used=501 of=500 left=0 resets=2026-02-18", "binding prompt_credits"},
		},
		{
			"pool_of_zero_with_less_used_than_granted_is_no_meter",
			status(`"planInfo":{"monthlyPromptCredits":50000},"usedPromptCredits":49999,"availableFlexCredits":100`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"grant_that_is_needed_and_unreadable",
			status(`"planInfo":{"monthlyPromptCredits":"lots"},"usedPromptCredits":49999`),
			[]string{"credits", "prompt_credits unreadable", bad("monthlyPromptCredits")},
		},
		{
			"grant_that_is_not_needed_and_unreadable",
			status(`"planInfo":{"monthlyPromptCredits":"lots"},"availablePromptCredits":200,"usedPromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=1 of=2 left=1", "binding prompt_credits"},
		},
		{
			"negative_use_is_zero",
			status(`"availablePromptCredits":200,"usedPromptCredits":-1`),
			[]string{"credits", "prompt_credits ok used=0 of=2 left=2", "binding prompt_credits"},
		},
		{
			"use_above_the_pool_is_exhausted_as_it_is",
			status(`"availablePromptCredits":200,"usedPromptCredits":250`),
			[]string{"credits", "prompt_credits exhausted used=2.5 of=2 left=0", "binding prompt_credits"},
		},
		{
			"pool_that_is_unreadable_leaves_the_others",
			status(`"availablePromptCredits":"0x10","availableFlexCredits":200`),
			[]string{"credits", "prompt_credits unreadable", "flex_credits ok used=0 of=2 left=2", bad("availablePromptCredits")},
		},
		{
			"use_that_is_unreadable_is_never_unlimited",
			status(`"availablePromptCredits":-1,"usedPromptCredits":[]`),
			[]string{"credits", "prompt_credits unreadable", bad("usedPromptCredits")},
		},
		{
			"absurd_number_is_unreadable",
			status(`"availablePromptCredits":1e300`),
			[]string{"credits", "prompt_credits unreadable", bad("availablePromptCredits")},
		},
		{
			"flow_credits_need_a_grant",
			status(`"planInfo":{"monthlyFlowCredits":100},"availableFlowCredits":300,"usedFlowCredits":100,"availablePromptCredits":100`),
			[]string{
				"credits", "prompt_credits ok used=0 of=1 left=1", "flow_credits ok used=1 of=3 left=2",
				"binding flow_credits",
			},
		},
		{
			"flow_credits_without_a_grant_are_passed_over",
			status(`"planInfo":{"monthlyFlowCredits":0},"availableFlowCredits":-1,"availablePromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=0 of=1 left=1", "binding prompt_credits"},
		},

		// ACU.
		{
			"acu_use_missing_beside_a_limit_is_unknown",
			status(`"acuLimit":10`),
			[]string{
				"acu", "acu unreadable",
				"unreadable_field: The field acuConsumed is missing beside acuLimit, so the use is not known.",
			},
		},
		{
			"acu_limit_of_zero_is_none",
			status(`"acuConsumed":0.1554225,"acuLimit":0`),
			[]string{"acu", "acu ok used=0.155422"},
		},
		{
			"acu_above_its_limit_is_exhausted",
			status(`"acuConsumed":"11.5","acuLimit":"1e1"`),
			[]string{"acu", "acu exhausted used=11.5 of=10 left=0", "binding acu"},
		},
		{
			"acu_unreadable",
			status(`"acuConsumed":"NaN","acuLimit":10`),
			[]string{"acu", "acu unreadable", bad("acuConsumed")},
		},

		// Balance.
		{
			"balance_that_is_unreadable",
			quota(`"dailyQuotaRemainingPercent":1,"overageBalanceMicros":"$5"`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "extra_usage unreadable", bad("overageBalanceMicros"), "binding daily_quota"},
		},
		{
			"balance_keeps_all_of_an_int64",
			status(`"overageBalanceMicros":"9223372036854775807"`),
			[]string{"unknown", "extra_usage ok left=9223372036854.775807"},
		},
		{
			"balance_beyond_an_int64_is_unreadable",
			status(`"overageBalanceMicros":9223372036854775808`),
			[]string{"unknown", "extra_usage unreadable", bad("overageBalanceMicros")},
		},

		// Forms.
		{
			"plan_info_beside_the_status_wins_field_by_field",
			`{"planInfo":{"billingStrategy":"credits"},"userStatus":{"planStatus":{
				"planInfo":{"billingStrategy":"quota","monthlyPromptCredits":100},"usedPromptCredits":100}}}`,
			[]string{"credits", "prompt_credits exhausted used=1 of=1 left=0", "binding prompt_credits"},
		},
		{
			"byte_order_mark_is_passed_over",
			"\xef\xbb\xbf" + status(`"availablePromptCredits":100`),
			[]string{"credits", "prompt_credits ok used=0 of=1 left=1", "binding prompt_credits"},
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
			[]string{"credits", "prompt_credits unreadable", bad("remainingMessages")},
		},
		{
			"cache_hides_windows",
			`{"dailyRemainingPercent":9,"weeklyRemainingPercent":8,"hideDailyQuota":true,"hideWeeklyQuota":false}`,
			[]string{"quota", "weekly_quota ok used=92 of=100 left=8", "binding weekly_quota"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, brief(decoded(t, tt.raw))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPayloadErrors(t *testing.T) {
	t.Parallel()
	type failed struct{ Code, Plan string }
	tests := []struct {
		name, raw string
		want      failed
	}{
		{"empty", ``, failed{CodeBadPayload, ""}},
		{"null", `null`, failed{CodeBadPayload, ""}},
		{"array", `[{"planStatus":{}}]`, failed{CodeBadPayload, ""}},
		{"string", `"{}"`, failed{CodeBadPayload, ""}},
		{"cut_off", `{"planStatus":{"availablePromptCredits":100}`, failed{CodeBadPayload, ""}},
		{"trailing", `{} {}`, failed{CodeBadPayload, ""}},
		{"nan", `{"planStatus":{"availablePromptCredits":NaN}}`, failed{CodeBadPayload, ""}},
		{"utf16", "\xff\xfe{\x00}\x00", failed{CodeBadPayload, ""}},
		{"nested_beyond_reason", strings.Repeat(`{"a":`, 1e6) + "1" + strings.Repeat(`}`, 1e6), failed{CodeBadPayload, ""}},
		{"empty_object", `{}`, failed{CodeNoPlanStatus, ""}},
		{"unknown_object", `{"code":"internal","message":"x"}`, failed{CodeNoPlanStatus, ""}},
		{"user_status_null", `{"userStatus":null}`, failed{CodeNoPlanStatus, ""}},
		{"user_status_array", `{"userStatus":[{"planStatus":{"availablePromptCredits":100}}]}`, failed{CodeNoPlanStatus, ""}},
		{"user_status_string", `{"userStatus":"{\"planStatus\":{\"availablePromptCredits\":-1}}"}`, failed{CodeNoPlanStatus, ""}},
		{"plan_status_string", `{"planStatus":"{\"availablePromptCredits\":-1}"}`, failed{CodeNoPlanStatus, ""}},
		{"plan_status_null_is_no_cache", `{"userStatus":{"planStatus":null},"planName":"Pro"}`, failed{CodeNoPlanStatus, ""}},
		{"plan_known_without_status", `{"planInfo":{"planName":"Pro"}}`, failed{CodeNoPlanStatus, "Pro"}},
		{"empty_status", `{"planStatus":{}}`, failed{CodeNoUsageFields, ""}},
		{"plan_known_without_figures", `{"planStatus":{"planInfo":{"planName":"Pro"}}}`, failed{CodeNoUsageFields, "Pro"}},
		{
			"every_window_hidden",
			`{"planStatus":{"planInfo":{"hideDailyQuota":true,"hideWeeklyQuota":true},"dailyQuotaRemainingPercent":1}}`,
			failed{CodeNoUsageFields, ""},
		},
		{"acu_plan_without_figures", `{"planStatus":{"planInfo":{"billingStrategy":3},"availablePromptCredits":-1}}`, failed{CodeNoUsageFields, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(tt.raw), Source{Kind: KindFile, PID: 7})
			e, ok := errors.AsType[*PayloadError](err)
			if !ok {
				t.Fatalf("error %v, snapshot %v", err, brief(s))
			}
			if diff := cmp.Diff(tt.want, failed{e.Code(), e.Plan}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Plan != tt.want.Plan || s.Source.PID != 7 || len(s.Meters) > 0 {
				t.Errorf("snapshot %+v", s)
			}
		})
	}
}

func TestAtMayBeRepeated(t *testing.T) {
	t.Parallel()
	once, err := Decode([]byte(`{"planStatus":{"planEnd":"2026-02-18T09:00:00Z","dailyQuotaRemainingPercent":0,
		"dailyQuotaResetAtUnix":`+tomorrow+`,"overageBalanceMicros":5000000,
		"gracePeriodStatus":2,"gracePeriodEnd":"2026-02-05T00:00:00Z"}}`), Source{})
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		State   State
		Left    string
		Notices []string
	}
	see := func(s Snapshot) view {
		v := view{State: s.Meters[0].State, Left: s.Meters[0].Remaining.String()}
		for _, n := range s.Notices {
			v.Notices = append(v.Notices, n.Sentence(Words{}))
		}
		return v
	}
	const extra = "The quota is used up; prompts are paid from extra usage: $5.00 left."
	before := view{StateExhausted, "0", []string{"A grace period is running until 5 Feb 2026, 00:00 UTC.", extra}}
	after := view{StateRolledOver, "unknown", []string{"The grace period ended on 5 Feb 2026, 00:00 UTC."}}
	late := noon.Add(48 * time.Hour)
	for _, tt := range []struct {
		name string
		got  Snapshot
		want view
	}{
		{"before", once.At(noon), before},
		{"after", once.At(late), after},
		{"after_then_before", once.At(late).At(noon), before},
		{"before_then_after", once.At(noon).At(late), after},
	} {
		if diff := cmp.Diff(tt.want, see(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if once.Meters[0].State != StateExhausted {
		t.Error("At changed the snapshot that it was called on")
	}
}

func TestCycle(t *testing.T) {
	t.Parallel()
	const good, end = `"2026-01-18T09:07:17Z"`, `"2026-02-18T09:07:17Z"`
	start, finish := time.Date(2026, 1, 18, 9, 7, 17, 0, time.UTC), time.Date(2026, 2, 18, 9, 7, 17, 0, time.UTC)
	tests := []struct {
		name, start, end string
		want             Window
	}{
		{"both", good, end, Window{start, finish}},
		{"offset", `"2026-01-18T10:07:17+01:00"`, end, Window{start, finish}},
		{"bad_start", `"soon"`, end, Window{End: finish}},
		{"bad_end", good, `17`, Window{Start: start}},
		{"no_start", `null`, end, Window{End: finish}},
		{"end_before_start", end, good, Window{}},
		{"end_at_start", good, good, Window{}},
		{"epoch", `"1970-01-01T00:00:00Z"`, end, Window{End: finish}},
		{"year_one", `"0001-01-01T00:00:00Z"`, end, Window{End: finish}},
		{"year_ten_thousand_in_utc", good, `"9999-12-31T23:59:59-23:59"`, Window{Start: start}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := decoded(t, `{"planStatus":{"availablePromptCredits":100,"planStart":`+tt.start+`,"planEnd":`+tt.end+`}}`)
			if diff := cmp.Diff([]Window{tt.want, tt.want}, []Window{s.Cycle, s.Meters[0].Window}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(s.Problems) > 0 {
				t.Errorf("problems %v", s.Problems)
			}
			if _, err := json.Marshal(NewAnswer(s)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestQuotaWindows(t *testing.T) {
	t.Parallel()
	s := decoded(t, `{"planStatus":{"dailyQuotaResetAtUnix":`+sunday+`,"weeklyQuotaResetAtUnix":`+sunday+`}}`)
	end := time.Unix(1770537600, 0).UTC()
	want := []Window{{end.Add(-24 * time.Hour), end}, {end.Add(-168 * time.Hour), end}}
	got := []Window{}
	for m := range slices.Values(s.Meters) {
		got = append(got, m.Window)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
