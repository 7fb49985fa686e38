package antigravity

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
)

var noon = time.Date(2026, 7, 2, 12, 0, 0, 0, time.UTC)

func TestPlanNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"pro", `{"userStatus":{"userTier":{"name":"Google AI Pro"}}}`, "Pro"},
		{"ultra", `{"plan_tier":"Google AI Ultra"}`, "Ultra"},
		{"pro_of_another_product", `{"userStatus":{"userTier":{"name":"Gemini Code Assist in Google One AI Pro"}}}`, "Pro"},
		{"code_assist", `{"userStatus":{"userTier":{"name":"Gemini Code Assist"}}}`, "Gemini Code Assist"},
		{"blank", `{"userStatus":{"userTier":{"name":"   "}}}`, ""},
		{"null", `{"userStatus":{"userTier":{"name":null}}}`, ""},
		{"blank_tier_beside_a_plan", `{"userStatus":{"userTier":{"name":" "},"planStatus":{"planInfo":{"planName":"Pro"}}}}`, "Pro"},
		{"none", `{"groups":[]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// The name is known without figures, too.
			if s, _ := Decode([]byte(tt.raw), live(noon)); s.PlanName != tt.want {
				t.Errorf("%q, want %q", s.PlanName, tt.want)
			}
		})
	}
}

// The answer to the quota's question stands first, that to the account's beside it.
func TestSummaryBesideAnAccount(t *testing.T) {
	t.Parallel()
	s, err := Decode([]byte(`{
		"response":{"groups":[{"buckets":[{"bucketId":"gemini-5h","remainingFraction":0.75}]}]},
		"userStatus":{
			"email":"Robin@Example.com","userTier":{"name":"Google AI Ultra"},"planStatus":{"planInfo":{"planName":"Pro"}},
			"cascadeModelConfigData":{"clientModelConfigs":[{"label":"Claude","quotaInfo":{"remainingFraction":0.1}}]}}}`), live(noon))
	if err != nil {
		t.Fatal(err)
	}
	type seen struct {
		Plan   usage.Plan
		Name   string
		Meters []meterResult
	}
	used, left := 25.0, 75.0
	want := seen{
		usage.Plan{Product: usage.Antigravity, Account: usage.NewAccount("antigravity", "robin@example.com")},
		"Ultra",
		[]meterResult{{ID: usage.Gemini5h, State: usage.StateOK, Used: &used, Remaining: &left}},
	}
	if diff := cmp.Diff(want, seen{s.Plan, s.PlanName, resultOf(s, nil).Meters}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		kind      usage.SourceKind
		want      say.Error
	}{
		{"no_json", `agy: not found`, usage.KindCLI, say.Error{
			Code: usage.CodeBadPayload, What: "agy gave no figures.",
			Cure: "Run agy in a terminal, and see what it says to /usage.",
		}},
		{"failed_report", `{"status":"ERROR","response":"","command":{"data":{"groups":[]}}}`, usage.KindFile, say.Error{
			Code: usage.CodeBadPayload, What: "agy gave no figures.",
			Cure: "Run agy in a terminal, and see what it says to /usage.",
		}},
		{"error_in_an_answer", `{"code":16,"message":"no"}`, usage.KindLanguageServer, say.Error{
			Code: usage.CodeNoPlanStatus, What: "The answer says nothing about the plan.",
			Cure: "Restart Antigravity, then try again.",
		}},
		{"no_quota", `{"agent_state":"idle"}`, usage.KindStatusLine, say.Error{
			Code: usage.CodeNoUsageFields, What: "The answer names no credits and no quota.",
			Cure: "Use agy in a terminal, then try again.",
		}},
		{"no_models", `{"code":0,"userStatus":{}}`, usage.KindLanguageServer, say.Error{
			Code: usage.CodeNoUsageFields, What: "The answer names no credits and no quota.",
			Cure: "Restart Antigravity, then try again.",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src := usage.Source{Kind: tt.kind}
			s, err := Decode([]byte(tt.raw), src)
			var told *say.Error
			if !errors.As(err, &told) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, say.Error{Code: told.Code, What: told.What, Cure: told.Cure}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := usage.Snapshot{Source: src, Plan: usage.Plan{Product: usage.Antigravity}, Billing: usage.BillingUnknown}
			if diff := cmp.Diff(want, s, cmp.AllowUnexported(usage.Snapshot{}, usage.Account{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// brief is what is left of the meters of an answer at noon, one a line.
func brief(s usage.Snapshot) map[usage.MeterID]string {
	all := map[usage.MeterID]string{}
	for _, m := range s.At(noon).Meters {
		text := string(m.State)
		if m.State == usage.StateOK {
			text += " " + m.Remaining.String()
		}
		if !m.Window.End.IsZero() {
			text += " until " + m.Window.End.Format("15:04")
		}
		all[m.ID] = text
	}
	return all
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, buckets string
		want          map[usage.MeterID]string
	}{
		{"a_disabled_one_counts_as_the_first", `{"bucketId":"gemini-5h","disabled":true},{"bucketId":"gemini-5h","remainingFraction":1}`, nil},
		{"an_unreadable_flag_hides_nothing", `{"bucketId":"gemini-5h","disabled":"maybe","remainingFraction":0.5}`, map[usage.MeterID]string{usage.Gemini5h: "ok 50"}},
		{"one_that_would_pass_for_a_meter", `{"bucketId":"daily_quota","remainingFraction":0.5},{"bucketId":"gemini_5h","remainingFraction":0.5}`, nil},
		{"letters_count", `{"bucketId":"Gemini-5h","remainingFraction":0.5}`, map[usage.MeterID]string{"Gemini-5h": "ok 50"}},
		{"next_to_nothing", `{"bucketId":"gemini-5h","remainingFraction":1e-30}`, map[usage.MeterID]string{usage.Gemini5h: "exhausted"}},
		{"a_little_used", `{"bucketId":"gemini-5h","remainingFraction":0.99999999,"resetTime":"2026-07-02T17:00:00Z"}`, map[usage.MeterID]string{usage.Gemini5h: "ok 99.999999 until 17:00"}},
		{"not_started", `{"bucketId":"gemini-5h","remainingFraction":1,"resetTime":"2026-07-02T16:51:00Z"}`, map[usage.MeterID]string{usage.Gemini5h: "not_started"}},
		{"started_and_unused", `{"bucketId":"gemini-5h","remainingFraction":1,"resetTime":"2026-07-02T16:49:00Z"}`, map[usage.MeterID]string{usage.Gemini5h: "ok 100 until 16:49"}},
		{"unknown_and_not_started", `{"bucketId":"image-5h","window":"5h","remainingFraction":1,"resetTime":"2026-07-02T17:00:00Z"}`, map[usage.MeterID]string{"image-5h": "not_started"}},
		{"a_reset_that_is_no_time", `{"bucketId":"gemini-5h","remainingFraction":0.5,"resetTime":"soon"}`, map[usage.MeterID]string{usage.Gemini5h: "ok 50"}},
		{"another_choice", `{"bucketId":"gemini-5h","remaining":{"case":"remainingAmount","value":1}}`, map[usage.MeterID]string{usage.Gemini5h: "unreadable"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(`{"groups":[{"buckets":[`+tt.buckets+`]}]}`), live(noon))
			if (err != nil) != (tt.want == nil) {
				t.Errorf("error %v", err)
			}
			if got := brief(s); len(tt.want)+len(got) > 0 && !cmp.Equal(tt.want, got) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	const one, two = `"resetTime":"2026-07-02T13:00:00Z"`, `"resetTime":"2026-07-02T14:00:00Z"`
	tests := []struct {
		name, models string
		want         map[usage.MeterID]string
	}{
		{"of_equals_the_later_reset", `{"label":"Gemini A","quotaInfo":{"remainingFraction":0.5,` + two + `}},{"label":"Gemini B","quotaInfo":{"remainingFraction":0.5,` + one + `}}`, map[usage.MeterID]string{usage.Gemini5h: "ok 50 until 14:00"}},
		{"a_used_up_pool_comes_back_last", `{"label":"Claude","quotaInfo":{` + one + `}},{"label":"GPT","quotaInfo":{` + two + `}}`, map[usage.MeterID]string{usage.ThirdParty5h: "exhausted until 14:00"}},
		{"no_reset_and_no_figure_is_unknown", `{"label":"Claude","quotaInfo":{` + one + `}},{"label":"GPT","quotaInfo":{}}`, map[usage.MeterID]string{usage.ThirdParty5h: "unreadable until 13:00"}},
		{"an_unreadable_figure_is_unknown", `{"label":"Claude","quotaInfo":{"remainingFraction":"lots",` + one + `}}`, map[usage.MeterID]string{usage.ThirdParty5h: "unreadable"}},
		{"a_model_with_a_figure_beside_an_unreadable_one", `{"label":"Claude","quotaInfo":{"remainingFraction":2}},{"label":"GPT","quotaInfo":{"remainingFraction":0.25}}`, map[usage.MeterID]string{usage.ThirdParty5h: "ok 25"}},
		{"models_that_are_not_offered", `{"label":"Gemini 2.5","modelOrAlias":{"model":"MODEL_GOOGLE_GEMINI_2_5_PRO"},"quotaInfo":{"remainingFraction":0}},{"label":"Gemini 3","quotaInfo":{"remainingFraction":1}}`, map[usage.MeterID]string{usage.Gemini5h: "ok 100"}},
		{"not_started", `{"label":"Gemini","quotaInfo":{"remainingFraction":1,"resetTime":"2026-07-02T17:00:00Z"}}`, map[usage.MeterID]string{usage.Gemini5h: "not_started"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Decode([]byte(`{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[`+tt.models+`]}}}`), live(noon))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, brief(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
