package cursor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// brief is a snapshot at noon, one line for each meter, then its problems and notices.
func brief(s usage.Snapshot) []string {
	lines := []string{string(s.Billing)}
	for _, m := range s.At(noon).Meters {
		line := fmt.Sprintf("%s %s %s", m.ID, m.Unit, m.State)
		if m.Used.Known() {
			line += " used=" + m.Used.String()
		}
		if m.Total.Known() {
			line += " of=" + m.Total.String()
		}
		if !m.Window.End.IsZero() {
			line += " resets=" + m.Window.End.Format(time.RFC3339)
		}
		lines = append(lines, line)
	}
	for _, p := range s.Problems {
		lines = append(lines, p.Code+": "+p.Message)
	}
	for _, n := range s.At(noon).Notices {
		lines = append(lines, n.Code)
	}
	return lines
}

func period(fields string) string { return `{"GetCurrentPeriodUsage":{` + fields + `}}` }

func personal(fields string) string {
	return `{"usage-summary":{"individualUsage":{` + fields + `}}}`
}

func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		want      []string
	}{
		{
			"numbers_as_texts", period(`"billingCycleStart":"1770000000000","billingCycleEnd":1772592000000,"planUsage":{"autoPercentUsed":"0.36"}`),
			[]string{"quota", "cursor_models percent ok used=0.36 of=100 resets=2026-03-04T02:40:00Z"},
		},
		{
			"a_pool_that_cannot_be_read_beside_one_that_can", period(`"planUsage":{"autoPercentUsed":"n/a","apiPercentUsed":7,"totalPercentUsed":5}`),
			[]string{
				"quota", "cursor_models percent unreadable of=100", "other_models percent ok used=7 of=100",
				"unreadable_field: The field autoPercentUsed could not be read.",
			},
		},
		{
			"a_pool_below_zero", period(`"planUsage":{"autoPercentUsed":-1}`),
			[]string{"quota", "cursor_models percent unreadable of=100", "unreadable_field: The field autoPercentUsed could not be read."},
		},
		{
			"a_pool_of_null_is_missing", period(`"planUsage":{"autoPercentUsed":null,"apiPercentUsed":0}`),
			[]string{"quota", "other_models percent ok used=0 of=100"},
		},
		{
			"a_trace_left_is_not_used_up", period(`"planUsage":{"apiPercentUsed":99.999}`),
			[]string{"quota", "other_models percent ok used=99.999 of=100"},
		},
		{
			"no_share_of_dollars_beside_a_pool", period(`"planUsage":{"autoPercentUsed":3,"limit":2000,"includedSpend":2000}`),
			[]string{"quota", "cursor_models percent ok used=3 of=100"},
		},
		{
			"what_is_included_before_what_is_given_on_top", period(`"planUsage":{"limit":2000,"includedSpend":1500,"totalSpend":2500,"remaining":500}`),
			[]string{"spend", "included usd ok used=15 of=20"},
		},
		{
			"more_left_than_the_limit", period(`"planUsage":{"limit":2000,"remaining":2500}`),
			[]string{"spend", "included usd unreadable"},
		},
		{
			"spend_in_words", period(`"planUsage":{"limit":2000,"includedSpend":"much","totalSpend":100}`),
			[]string{"spend", "included usd ok used=1 of=20", "unreadable_field: The field includedSpend could not be read."},
		},
		{
			"spend_above_the_limit", period(`"planUsage":{"limit":2000,"includedSpend":2100}`),
			[]string{"spend", "included usd exhausted used=21 of=20"},
		},
		{
			"a_cap_that_is_off", personal(`"plan":{"totalPercentUsed":1},"overall":{"enabled":false,"used":1,"limit":100}`),
			[]string{"quota", "included percent ok used=1 of=100"},
		},
		{
			"requests_used_up", `{"usage":{"gpt-4":{"numRequests":501,"maxRequestUsage":500}}}`,
			[]string{"requests", "requests requests exhausted used=501 of=500"},
		},
		{
			"requests_of_two_counters", `{"usage":{"gpt-4-32k":{"numRequests":50,"maxRequestUsage":50},"gpt-4":{"numRequests":19,"maxRequestUsage":500},"o1":{"numRequests":9,"maxRequestUsage":10}}}`,
			[]string{"requests", "requests requests ok used=19 of=500"},
		},
		{
			"requests_that_cannot_be_read", `{"usage":{"gpt-4":{"numRequests":null,"maxRequestUsage":500}}}`,
			[]string{"requests", "requests requests unreadable", "unreadable_field: The field numRequests could not be read."},
		},
		{
			"on_demand_all_spent", period(`"planUsage":{"autoPercentUsed":100},"spendLimitUsage":{"individualLimit":5000,"individualUsed":5000}`),
			[]string{"quota", "cursor_models percent exhausted used=100 of=100", "on_demand usd exhausted used=50 of=50"},
		},
		{
			"on_demand_of_neither_use_nor_rest", period(`"spendLimitUsage":{"individualLimit":5000}`),
			[]string{"unknown", "on_demand usd unreadable"},
		},
		{
			"on_demand_that_cannot_be_read", period(`"spendLimitUsage":{"individualLimit":"a lot","individualUsed":1}`),
			[]string{"unknown", "on_demand usd unreadable", "unreadable_field: The field individualLimit could not be read."},
		},
		{
			"on_demand_without_a_limit_that_is_spent", personal(`"plan":{"apiPercentUsed":100},"onDemand":{"enabled":true,"used":150,"limit":null}`),
			[]string{"quota", "other_models percent exhausted used=100 of=100", "on_demand usd ok used=1.5", "on_demand_without_limit"},
		},
		{
			"on_demand_that_the_account_does_not_allow",
			`{"GetHardLimit":{"noUsageBasedAllowed":true},"GetCurrentPeriodUsage":{"planUsage":{"apiPercentUsed":1},"spendLimitUsage":{"individualLimit":100,"individualUsed":1}}}`,
			[]string{"quota", "other_models percent ok used=1 of=100", "on_demand_off"},
		},
		{
			"one_date_that_cannot_be_used_leaves_the_other", period(`"billingCycleEnd":"1772592000000","planUsage":{"apiPercentUsed":1}`),
			[]string{"quota", "other_models percent ok used=1 of=100 resets=2026-03-04T02:40:00Z"},
		},
		{
			"a_cycle_that_ends_before_it_starts", period(`"billingCycleStart":"1772592000001","billingCycleEnd":"1772592000000","planUsage":{"apiPercentUsed":1}`),
			[]string{"quota", "other_models percent ok used=1 of=100"},
		},
		{
			"a_month_that_is_shorter", `{"usage":{"gpt-4":{"numRequests":1,"maxRequestUsage":5},"startOfMonth":"2026-01-31T08:00:00Z"}}`,
			[]string{"requests", "requests requests ok used=1 of=5 resets=2026-02-28T08:00:00Z"},
		},
		{
			"the_end_of_a_year", `{"usage":{"gpt-4":{"numRequests":1,"maxRequestUsage":5},"startOfMonth":"2026-12-15T08:00:00Z"}}`,
			[]string{"requests", "requests requests ok used=1 of=5 resets=2027-01-15T08:00:00Z"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(tt.raw), usage.Source{Kind: usage.KindCloud})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, brief(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"told", `{"GetPlanInfo":{"planInfo":{"planName":" Pro+ "}},"usage-summary":{"membershipType":"pro"}}`, "Pro+"},
		{"blank", `{"GetPlanInfo":{"planInfo":{"planName":"  "}},"usage-summary":{"membershipType":"pro"}}`, "Pro"},
		{"no_text", `{"GetPlanInfo":{"planInfo":{"planName":7}}}`, ""},
		{"type_that_is_new", `{"usage-summary":{"membershipType":"pro_max"}}`, "pro_max"},
		{"enterprise", `{"usage-summary":{"membershipType":"enterprise"}}`, "Enterprise"},
		{"express", `{"usage-summary":{"membershipType":"express"}}`, "Start"},
		{"free", `{"usage-summary":{"membershipType":"free"}}`, "Free"},
		{"hobby", `{"usage-summary":{"membershipType":"hobby"}}`, "Hobby"},
		{"free_trial", `{"usage-summary":{"membershipType":"free_trial"}}`, "Pro trial"},
		{"pro", `{"usage-summary":{"membershipType":"pro"}}`, "Pro"},
		{"pro_student", `{"usage-summary":{"membershipType":"pro_student"}}`, "Pro student"},
		{"pro_plus", `{"usage-summary":{"membershipType":"pro_plus"}}`, "Pro+"},
		{"team", `{"usage-summary":{"membershipType":"team"}}`, "Team"},
		{"business", `{"usage-summary":{"membershipType":"business"}}`, "Team"},
		{"ultra", `{"usage-summary":{"membershipType":"ultra"}}`, "Ultra"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// The name is known without figures, too.
			if s, _ := Decode([]byte(tt.raw), usage.Source{}); s.PlanName != tt.want {
				t.Errorf("%q, want %q", s.PlanName, tt.want)
			}
		})
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	const pool = `"GetCurrentPeriodUsage":{"planUsage":{"autoPercentUsed":1}}`
	for raw, want := range map[string]usage.Account{
		`{"user":"user_01",` + pool + `}`: usage.NewAccount("cursor", "user_01"),
		`{"user":7,` + pool + `}`:         {},
		`{` + pool + `}`:                  {},
	} {
		s, err := Decode([]byte(raw), usage.Source{})
		if err != nil || !s.Plan.Account.Equal(want) || s.Plan.Product != usage.Cursor {
			t.Errorf("%s: %v of %s, %v", raw, s.Plan.Account, s.Plan.Product, err)
		}
	}
}

func TestNoUsage(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"no_json", `<html>`, usage.CodeBadPayload},
		{"no_object", `[]`, usage.CodeBadPayload},
		{"nested_beyond_reason", strings.Repeat(`{"GetPlanInfo":`, 1e6) + "1" + strings.Repeat(`}`, 1e6), usage.CodeBadPayload},
		{"nothing", `{}`, usage.CodeNoPlanStatus},
		{"a_cache_of_windsurf", `{"usage":{"messages":100,"usedMessages":1}}`, usage.CodeNoPlanStatus},
		{"a_user_alone", `{"user":"u"}`, usage.CodeNoPlanStatus},
		{"members_that_are_no_objects", `{"GetCurrentPeriodUsage":[1],"GetPlanInfo":"Pro"}`, usage.CodeNoPlanStatus},
		{"a_plan_that_is_off", period(`"enabled":false`), usage.CodeNoUsageFields},
		{"a_name_alone", `{"GetPlanInfo":{"planInfo":{"planName":"Pro"}}}`, usage.CodeNoUsageFields},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(tt.raw), usage.Source{Kind: usage.KindCloud})
			if told, ok := errors.AsType[*say.Error](err); !ok || told.Code != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if len(s.Meters) > 0 || s.Billing != usage.BillingUnknown {
				t.Errorf("%+v", s)
			}
			if wrong := Is([]byte(tt.raw)) != (tt.want == usage.CodeNoUsageFields); wrong {
				t.Errorf("recognised: %v", !wrong)
			}
		})
	}
}
