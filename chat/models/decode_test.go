package models_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/chat/models/modelstest"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// list is an answer with these entries.
func list(entries string) string {
	return `{"userStatus":{"planStatus":{"planInfo":{"teamsTier":"TEAMS_TIER_TEAMS"}},"cascadeModelConfigData":{"clientModelConfigs":[` + entries + `]}}}`
}

func TestDecodeModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, entry string
		want        chat.Model
	}{
		{
			"full", `{"label":"Opus 4.7","modelUid":"opus-4-7","creditMultiplier":1.5,"pricingType":"MODEL_PRICING_TYPE_STATIC_CREDIT",
				"isNew":true,"isRecommended":true,"isBeta":true,"isCapacityLimited":true,"supportsImages":true,"maxTokens":200000,
				"description":"Strong.","modelCostTier":"MODEL_COST_TIER_HIGH",
				"promoStatus":{"isActive":true,"label":"Half","endDate":"2026-03-01T00:00:00Z"}}`,
			chat.Model{
				UID: "opus-4-7", Label: "Opus 4.7", CreditMultiplier: new(1.5), Pricing: chat.PricingStaticCredit, CostTier: chat.CostHigh,
				New: true, Recommended: true, Beta: true, CapacityLimited: true, Images: true, MaxTokens: 200000, Description: "Strong.",
				Promotion: &chat.Promotion{Label: "Half", Ends: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
			},
		},
		{"uid_of_choice", `{"label":"A","modelOrAlias":{"modelUid":"a"}}`, chat.Model{UID: "a", Label: "A"}},
		{"uid_of_enum", `{"label":"A","modelOrAlias":{"model":"MODEL_SWE_1_5"}}`, chat.Model{UID: "MODEL_SWE_1_5", Label: "A"}},
		{"uid_of_alias", `{"label":"A","modelOrAlias":{"alias":"MODEL_ALIAS_AUTO"}}`, chat.Model{UID: "MODEL_ALIAS_AUTO", Label: "A"}},
		{"uid_first", `{"label":"A","modelUid":"a","modelOrAlias":{"modelUid":"b","model":"C"}}`, chat.Model{UID: "a", Label: "A"}},
		{
			"no_uid", `{"label":"A","modelOrAlias":{"model":"MODEL_UNSPECIFIED"}}`,
			chat.Model{Label: "A", Disabled: true, Reason: "no UID", Detail: "The server gives no UID to ask for it by."},
		},
		{
			"enum_by_number", `{"label":"A","modelOrAlias":{"model":359}}`,
			chat.Model{Label: "A", Disabled: true, Reason: "no UID", Detail: "The server gives no UID to ask for it by."},
		},
		{
			"uid_that_does_not_print", `{"label":"A","modelUid":"a\u001b[2J"}`,
			chat.Model{Label: "A", Disabled: true, Reason: "no UID", Detail: "The server gives no UID to ask for it by."},
		},
		{"no_label", `{"modelUid":"a"}`, chat.Model{UID: "a", Label: "a"}},
		{"label_with_escapes", `{"label":" A\u001b[31m\n\u202eB ","modelUid":"a"}`, chat.Model{UID: "a", Label: "A B"}},
		{
			"endless", `{"label":"` + strings.Repeat("a b ", 400) + `","modelUid":"` + strings.Repeat("a", 300) + `","modelOrAlias":{"modelUid":"a"}}`,
			chat.Model{UID: "a", Label: strings.Repeat("a b ", 99) + "a b…"},
		},
		{"zero_left_out", `{"modelUid":"a","pricingType":"MODEL_PRICING_TYPE_STATIC_CREDIT"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingStaticCredit, CreditMultiplier: new(0.0)}},
		{"zero", `{"modelUid":"a","creditMultiplier":0}`, chat.Model{UID: "a", Label: "a", CreditMultiplier: new(0.0)}},
		{"free", `{"modelUid":"a","modelCostTier":"MODEL_COST_TIER_FREE"}`, chat.Model{UID: "a", Label: "a", CostTier: chat.CostFree, CreditMultiplier: new(0.0)}},
		{"no_price", `{"modelUid":"a","pricingType":"MODEL_PRICING_TYPE_ACU_CREDIT"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingACUCredit}},
		{"price_string", `{"modelUid":"a","creditMultiplier":"0.25"}`, chat.Model{UID: "a", Label: "a", CreditMultiplier: new(0.25)}},
		{"price_double", `{"modelUid":"a","creditMultiplier":0.10000000149011612}`, chat.Model{UID: "a", Label: "a", CreditMultiplier: new(0.1)}},
		{"price_negative", `{"modelUid":"a","creditMultiplier":-1,"pricingType":1}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingStaticCredit}},
		{"price_nan", `{"modelUid":"a","creditMultiplier":"NaN","pricingType":1}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingStaticCredit}},
		{"price_endless", `{"modelUid":"a","creditMultiplier":1e999}`, chat.Model{UID: "a", Label: "a"}},
		{"price_null", `{"modelUid":"a","creditMultiplier":null}`, chat.Model{UID: "a", Label: "a"}},
		{"pricing_api", `{"modelUid":"a","pricingType":"MODEL_PRICING_TYPE_API"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingAPI}},
		{"pricing_renamed", `{"modelUid":"a","pricingType":"MODEL_PRICING_TYPE_DEVIN_ENTERPRISE"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingACUToken}},
		{"pricing_number", `{"modelUid":"a","pricingType":"4"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingACUToken}},
		{"pricing_word", `{"modelUid":"a","pricingType":"byok"}`, chat.Model{UID: "a", Label: "a", Pricing: chat.PricingBYOK}},
		{"pricing_new", `{"modelUid":"a","pricingType":"MODEL_PRICING_TYPE_BARTER"}`, chat.Model{UID: "a", Label: "a"}},
		{"pricing_new_number", `{"modelUid":"a","pricingType":6}`, chat.Model{UID: "a", Label: "a"}},
		{"tokens_of_info", `{"modelUid":"a","modelInfo":{"maxTokens":"128000"}}`, chat.Model{UID: "a", Label: "a", MaxTokens: 128000}},
		{"tokens_unreadable", `{"modelUid":"a","maxTokens":-5}`, chat.Model{UID: "a", Label: "a"}},
		{"flags_as_strings", `{"modelUid":"a","isNew":"true","supportsImages":"false"}`, chat.Model{UID: "a", Label: "a", New: true}},
		{"promotion_over", `{"modelUid":"a","promoStatus":{"label":"Free"}}`, chat.Model{UID: "a", Label: "a"}},
		{
			"disabled", `{"modelUid":"a","disabled":true,"disabledReason":{"shortReason":"Retired","description":"Take B."},"allowedTiers":["TEAMS_TIER_PRO"]}`,
			chat.Model{UID: "a", Label: "a", Disabled: true, Reason: "Retired", Detail: "Take B."},
		},
		{"disabled_by_plan", `{"modelUid":"a","disabled":true,"allowedTiers":["TEAMS_TIER_PRO"],"isCapacityLimited":true}`, chat.Model{UID: "a", Label: "a", Disabled: true, CapacityLimited: true, Reason: "not in the plan"}},
		{"disabled_by_load", `{"modelUid":"a","disabled":true,"allowedTiers":["TEAMS_TIER_TEAMS"],"isCapacityLimited":true}`, chat.Model{UID: "a", Label: "a", Disabled: true, CapacityLimited: true, Reason: "at capacity"}},
		{"disabled_tiers_by_number", `{"modelUid":"a","disabled":true,"allowedTiers":[2]}`, chat.Model{UID: "a", Label: "a", Disabled: true}},
		{"disabled_for_nothing", `{"modelUid":"a","disabled":true,"allowedTiers":[ ]}`, chat.Model{UID: "a", Label: "a", Disabled: true}},
		{"enabled_beside_tiers", `{"modelUid":"a","allowedTiers":["TEAMS_TIER_PRO"],"disabledReason":{"shortReason":"x"}}`, chat.Model{UID: "a", Label: "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want.Pricing == "" {
				tt.want.Pricing = chat.PricingUnknown
			}
			if tt.want.CostTier == "" {
				tt.want.CostTier = chat.CostUnknown
			}
			if diff := cmp.Diff([]chat.Model{tt.want}, modelstest.Decode(t, list(tt.entry)).Models); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeModelsList(t *testing.T) {
	t.Parallel()
	const three = `"clientModelConfigs":[{"label":"A","modelUid":"a"},{"label":"B","modelUid":"b"},{"label":"C","modelUid":"c"}]`
	tests := []struct{ name, raw, want string }{
		{"as_listed", `{"userStatus":{"cascadeModelConfigData":{` + three + `}}}`, "a b c"},
		{"bare", "\xef\xbb\xbf" + ` {"cascadeModelConfigData":{` + three + `}}`, "a b c"},
		{
			"sorted", `{"userStatus":{"cascadeModelConfigData":{` + three + `,"clientModelSorts":[
				{"groups":[{"modelLabels":["C","Z"]},{"modelLabels":["B","C"]}]},{"groups":[{"modelLabels":["A","B"]}]}]}}}`, "c b a",
		},
		{"sorts_of_nothing", `{"userStatus":{"cascadeModelConfigData":{` + three + `,"clientModelSorts":[1,{"groups":{"modelLabels":[]}}]}}}`, "a b c"},
		{"default", `{"userStatus":{"cascadeModelConfigData":{"defaultOverrideModelConfig":{"modelUid":"b"},` + three + `}}}`, "a b* c"},
		{"default_deprecated", `{"userStatus":{"cascadeModelConfigData":{"defaultOverrideModelConfig":{"modelOrAliasDeprecated":{"modelUid":"c"}},` + three + `}}}`, "a b c*"},
		{"default_elsewhere", `{"userStatus":{"cascadeModelConfigData":{"defaultOverrideModelConfig":{"modelUid":"z"},` + three + `}}}`, "a b c"},
		{
			"default_enabled", `{"userStatus":{"cascadeModelConfigData":{"defaultOverrideModelConfig":{"modelUid":"a"},"clientModelConfigs":[` +
				`{"label":"A","modelUid":"a","disabled":true},{"label":"B","modelUid":"a"}]}}}`, "a a*",
		},
		{"twice", list(`{"label":"A","modelUid":"a"},{"label":"A","modelUid":"a"},{"label":"A","modelUid":"b"}`), "a b"},
		{"no_entries", list(`1,null,"a",{},{"disabled":true}`), ""},
		{"no_list", `{"userStatus":{"planStatus":{}}}`, ""},
		{"null", `{"userStatus":{"cascadeModelConfigData":null}}`, ""},
		{"other_types", `{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":{"label":"A"},"defaultOverrideModelConfig":[]}}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range modelstest.Decode(t, tt.raw).Models {
				mark := ""
				if m.ServerDefault {
					mark = "*"
				}
				got = append(got, m.UID+mark)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestDecodeModelsRefuses(t *testing.T) {
	t.Parallel()
	deep := list(strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000))
	for _, raw := range []string{"", "null", "[]", `"a"`, "{", `{"a":}`, "not JSON", deep} {
		_, err := models.Decode([]byte(raw))
		failed, ok := errors.AsType[*chat.ModelError](err)
		if !ok || failed.Code != "bad_payload" || say.Exit(failed) != 1 || !strings.HasSuffix(say.Sentence(failed, ""), ".") {
			t.Errorf("%.20s: %v", raw, err)
		}
	}
}

func TestDecodeModelsOfSimulator(t *testing.T) {
	t.Parallel()
	c := modelstest.Simulated(t)
	if len(c.Models) < 100 {
		t.Fatal(len(c.Models))
	}
	byLabel := map[string]chat.Model{}
	for _, m := range c.Models {
		byLabel[m.Label] = m
	}
	if m := byLabel["SWE-1.6"]; m.CreditMultiplier == nil || *m.CreditMultiplier != 0 || m.CostTier != chat.CostFree {
		t.Errorf("%+v is not free", m)
	}
	if m := byLabel["SWE-1.5 (legacy)"]; m.UID != "MODEL_SWE_1_5" || m.CreditMultiplier != nil || m.Promotion == nil {
		t.Errorf("%+v", m)
	}
	if m := byLabel["Penguin Alpha"]; m.UID != "MODEL_PRIVATE_1" || m.Storable() || !byLabel["SWE-1.6"].Storable() {
		t.Errorf("%+v may be stored", m)
	}
	if m := byLabel["SWE-1.6 Fast"]; !m.ServerDefault {
		t.Errorf("%+v is not the default", m)
	}
	if m := byLabel["Claude Opus 4.7 (own key)"]; !m.Disabled || m.Why() != "No key. Add a key of your own." {
		t.Errorf("%+v", m)
	}
	if got := c.Models[0]; !got.Recommended {
		t.Errorf("the first is %+v", got)
	}
}

func FuzzDecodeModels(f *testing.F) {
	f.Add([]byte(list(`{"label":"A","modelUid":"a","creditMultiplier":"1e2","disabled":true,"disabledReason":{"shortReason":"x"},"allowedTiers":["B"]}`)))
	f.Add([]byte(`{"cascadeModelConfigData":{"clientModelConfigs":[{"label":"\u202eA","modelOrAlias":{"model":"MODEL_PRIVATE_2"}}],` +
		`"clientModelSorts":[{"groups":[{"modelLabels":["A"]}]}],"defaultOverrideModelConfig":{"modelUid":"a"}}}`))
	f.Add([]byte(modelstest.Few))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := models.Decode(raw)
		if err != nil {
			if len(c.Models) > 0 {
				t.Error("models beside an error")
			}
			return
		}
		defaults := 0
		for _, m := range c.Models {
			if m.Label == "" || m.Label != terminal.Line(m.Label) || m.Reason != terminal.Line(m.Reason) || m.Why() != terminal.Line(m.Why()) {
				t.Errorf("%+v", m)
			}
			if m.UID == "" && !m.Disabled || !m.Disabled && m.Reason+m.Detail != "" || m.MaxTokens < 0 ||
				m.CreditMultiplier != nil && (*m.CreditMultiplier < 0 || *m.CreditMultiplier > 1e6) {
				t.Errorf("%+v", m)
			}
			if m.ServerDefault {
				defaults++
			}
			if !m.Disabled {
				if got, err := c.Resolve(m.Label); err == nil && got.Disabled {
					t.Errorf("%q is %+v", m.Label, got)
				}
			}
			if len(c.Models) > 20 {
				break
			}
		}
		if defaults > 1 {
			t.Error("several defaults")
		}
	})
}

func BenchmarkDecodeModels(b *testing.B) {
	raw := modelstest.Status(b)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := models.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
