package windsurf

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// brief writes a snapshot as one line per meter, then its problems, so that a rule's
// result fits in a table.
func brief(s usage.Snapshot) []string {
	lines := []string{string(s.Billing)}
	for _, m := range s.Meters {
		line := fmt.Sprintf("%s %s", m.ID, m.State)
		for _, f := range []struct {
			name   string
			amount usage.Amount
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

// rule is an answer and its expected result, as brief writes it.
type rule struct {
	name, raw string
	want      []string
}

func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, tt := range rules {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, brief(decoded(t, tt.raw))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func planOf(fields string) string { return `{"planStatus":{` + fields + `}}` }

func quotaPlan(fields string) string {
	return planOf(`"planInfo":{"billingStrategy":"BILLING_STRATEGY_QUOTA"},` + fields)
}

func unread(field string) string {
	return "unreadable_field: The field " + field + " could not be read."
}

func TestModes(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"strategy_decides_over_fields",
			planOf(`"planInfo":{"billingStrategy":"BILLING_STRATEGY_CREDITS"},"dailyQuotaRemainingPercent":50,"availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"strategy_as_number",
			planOf(`"planInfo":{"billingStrategy":2},"dailyQuotaRemainingPercent":50,"availablePromptCredits":-1`),
			[]string{"quota", "daily_quota ok used=50 of=100 left=50", "binding daily_quota"},
		},
		{
			"strategy_as_number_in_string",
			planOf(`"planInfo":{"billingStrategy":"3"},"acuConsumed":1,"dailyQuotaRemainingPercent":50`),
			[]string{"acu", "acu ok used=1"},
		},
		{
			"strategy_as_word",
			planOf(`"planInfo":{"billingStrategy":"credits"},"availableFlexCredits":100,"acuConsumed":1`),
			[]string{"credits", "flex_credits ok used=0 of=1 left=1", "binding flex_credits"},
		},
		{
			"unknown_strategy_is_unspecified",
			planOf(`"planInfo":{"billingStrategy":"BILLING_STRATEGY_BARTER"},"acuConsumed":1.5,"acuLimit":2`),
			[]string{"acu", "acu ok used=1.5 of=2 left=0.5", "binding acu"},
		},
		{
			"unknown_strategy_number_is_unspecified",
			planOf(`"planInfo":{"billingStrategy":99},"acuConsumed":1`),
			[]string{"acu", "acu ok used=1"},
		},
		{
			"unspecified_quota_before_acu_before_credits",
			planOf(`"weeklyQuotaResetAtUnix":` + usagetest.Sunday + `,"acuConsumed":1,"availablePromptCredits":1000`),
			[]string{"quota", "weekly_quota exhausted used=100 of=100 left=0 resets=2026-02-08", "binding weekly_quota"},
		},
		{
			"unspecified_acu_before_credits",
			planOf(`"acuConsumed":0,"availablePromptCredits":1000`),
			[]string{"acu", "acu ok used=0"},
		},
		{
			"unspecified_unusable_reset_shows_nothing",
			planOf(`"weeklyQuotaResetAtUnix":"0","availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"unspecified_acu_of_minus_one_shows_nothing",
			planOf(`"acuLimit":-1,"acuConsumed":-1,"availablePromptCredits":1000`),
			[]string{"credits", "prompt_credits ok used=0 of=10 left=10", "binding prompt_credits"},
		},
		{
			"balance_alone_is_unknown",
			planOf(`"overageBalanceMicros":"1500000"`),
			[]string{"unknown", "extra_usage ok left=1.5"},
		},
	})
}

func TestACURules(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"acu_use_missing_beside_a_limit_is_unknown",
			planOf(`"acuLimit":10`),
			[]string{
				"acu", "acu unreadable",
				"unreadable_field: The field acuConsumed is missing beside acuLimit, so the use is not known.",
			},
		},
		{
			"acu_limit_of_zero_is_none",
			planOf(`"acuConsumed":0.1554225,"acuLimit":0`),
			[]string{"acu", "acu ok used=0.155422"},
		},
		{
			"acu_above_its_limit_is_exhausted",
			planOf(`"acuConsumed":"11.5","acuLimit":"1e1"`),
			[]string{"acu", "acu exhausted used=11.5 of=10 left=0", "binding acu"},
		},
		{
			"acu_unreadable",
			planOf(`"acuConsumed":"NaN","acuLimit":10`),
			[]string{"acu", "acu unreadable", unread("acuConsumed")},
		},
	})
}

func TestBalanceRules(t *testing.T) {
	t.Parallel()
	checkRules(t, []rule{
		{
			"balance_that_is_unreadable",
			quotaPlan(`"dailyQuotaRemainingPercent":1,"overageBalanceMicros":"$5"`),
			[]string{"quota", "daily_quota ok used=99 of=100 left=1", "extra_usage unreadable", unread("overageBalanceMicros"), "binding daily_quota"},
		},
		{
			"balance_keeps_all_of_an_int64",
			planOf(`"overageBalanceMicros":"9223372036854775807"`),
			[]string{"unknown", "extra_usage ok left=9223372036854.775807"},
		},
		{
			"balance_beyond_an_int64_is_unreadable",
			planOf(`"overageBalanceMicros":9223372036854775808`),
			[]string{"unknown", "extra_usage unreadable", unread("overageBalanceMicros")},
		},
	})
}

// decoded is the snapshot of a status' fields at noon.
func decoded(t *testing.T, raw string) usage.Snapshot {
	t.Helper()
	s, err := Decode([]byte(raw), usage.Source{Kind: usage.KindLanguageServer})
	if err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return s.At(usagetest.Noon)
}
