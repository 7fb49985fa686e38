package account

import (
	"strings"
	"sync"

	pb "windsock/probe/languageserver"
)

// A family is a product line of models with the same variants.
type family struct {
	label    string   // up to the version, with the separator
	versions []string // the newest first
	variants []variant
	provider pb.ModelProvider
	host     pb.APIProvider
	credits  float32 // of the first variant
	tokens   int32
	images   bool
	about    string
}

// A variant is a setting of a family's models that is sold as a separate model.
type variant struct {
	label  string // empty: the model's plain name
	factor float32
}

var (
	efforts = []variant{
		{"Low", 1},
		{"Medium", 1.5},
		{"High", 2},
		{"X-High", 4},
		{"Low Fast", 2},
		{"Medium Fast", 3},
		{"High Fast", 4},
		{"X-High Fast", 8},
	}
	thinking = []variant{
		{"", 1},
		{"Thinking", 1.5},
		{"Low", 1},
		{"Medium", 1.5},
		{"High", 2},
		{"Low Thinking", 1.5},
		{"Medium Thinking", 2},
		{"High Thinking", 3},
	}
	plain = []variant{{"", 1}, {"Fast", 2}}
)

var families = []family{
	{"SWE-", []string{"1.6", "1.5"}, plain, pb.ModelProvider_MODEL_PROVIDER_WINDSURF, pb.APIProvider_API_PROVIDER_CEREBRAS, 0, 200_000, false, "Made for the editor, answers at once."},
	{"Claude Opus ", []string{"4.7", "4.6", "4.5"}, thinking, pb.ModelProvider_MODEL_PROVIDER_ANTHROPIC, pb.APIProvider_API_PROVIDER_ANTHROPIC, 4, 200_000, true, "The strongest for long changes that touch many files."},
	{"Claude Sonnet ", []string{"4.6", "4.5", "4"}, thinking, pb.ModelProvider_MODEL_PROVIDER_ANTHROPIC, pb.APIProvider_API_PROVIDER_ANTHROPIC_VERTEX, 2, 200_000, true, "A balance of strength and price for daily work."},
	{"Claude Haiku ", []string{"4.5"}, plain, pb.ModelProvider_MODEL_PROVIDER_ANTHROPIC, pb.APIProvider_API_PROVIDER_ANTHROPIC, 1, 200_000, true, "Quick and cheap, for small changes."},
	{"GPT-", []string{"5.4", "5.3", "5.2", "5.1"}, efforts, pb.ModelProvider_MODEL_PROVIDER_OPENAI, pb.APIProvider_API_PROVIDER_OPENAI, 1, 400_000, true, "Plans well, and thinks as long as the effort says."},
	{"GPT-Codex ", []string{"5.3", "5.2", "5.1"}, efforts, pb.ModelProvider_MODEL_PROVIDER_OPENAI, pb.APIProvider_API_PROVIDER_OPENAI, 1, 400_000, true, "Trained on code, for long runs without questions."},
	{"Gemini ", []string{"3.1 Pro", "3 Pro", "3 Flash"}, efforts[:4], pb.ModelProvider_MODEL_PROVIDER_GOOGLE, pb.APIProvider_API_PROVIDER_GOOGLE_VERTEX, 1, 1_000_000, true, "Reads a whole repository at once."},
	{"Grok Code ", []string{"2", "1"}, plain, pb.ModelProvider_MODEL_PROVIDER_XAI, pb.APIProvider_API_PROVIDER_XAI, 0.5, 256_000, false, "Quick, for a first draft."},
	{"Kimi K", []string{"2.6", "2.5"}, thinking[:2], pb.ModelProvider_MODEL_PROVIDER_MOONSHOT, pb.APIProvider_API_PROVIDER_FIREWORKS, 0.5, 256_000, false, "Open weights, hosted in the United States."},
	{"Qwen Coder ", []string{"4", "3"}, plain, pb.ModelProvider_MODEL_PROVIDER_QWEN, pb.APIProvider_API_PROVIDER_FIREWORKS, 0.5, 256_000, false, "Open weights, for simple changes."},
	{"DeepSeek V", []string{"4", "3.2"}, thinking[:2], pb.ModelProvider_MODEL_PROVIDER_DEEPSEEK, pb.APIProvider_API_PROVIDER_FIREWORKS, 0.5, 128_000, false, "Open weights, and cheap."},
}

// Models is the model list of each response, about 150 KB of JSON. It is made once and
// shared by all responses: do not change it.
var Models = sync.OnceValue(func() *pb.CascadeModelConfigData {
	data := &pb.CascadeModelConfigData{
		DefaultOverrideModelConfig: &pb.DefaultOverrideModelConfig{VersionId: "simulated-1", ModelUid: "swe-1-6-fast"},
		ArenaModeCostFast:          1,
		ArenaModeCostSmart:         2,
	}
	byProvider := &pb.ClientModelSort{Name: "Provider"}
	recommended := &pb.ClientModelGroup{GroupName: "Recommended"}
	for _, f := range families {
		group := &pb.ClientModelGroup{GroupName: strings.TrimRight(f.label, "- ")}
		for age, version := range f.versions {
			for i, v := range f.variants {
				m := f.model(version, age, i, v)
				data.ClientModelConfigs = append(data.ClientModelConfigs, m)
				group.ModelLabels = append(group.ModelLabels, m.GetLabel())
				if m.GetIsRecommended() {
					recommended.ModelLabels = append(recommended.ModelLabels, m.GetLabel())
				}
			}
		}
		byProvider.Groups = append(byProvider.Groups, group)
	}
	data.ClientModelConfigs = append(data.ClientModelConfigs, oddModels()...)
	data.ClientModelSorts = []*pb.ClientModelSort{
		{Name: "Recommended", Groups: []*pb.ClientModelGroup{recommended}, DisplayMetric: new("cost")},
		byProvider,
	}
	return data
})

func (f family) model(version string, age, i int, v variant) *pb.ClientModelConfig {
	label := strings.TrimSpace(f.label + version + " " + v.label)
	uid := uidOf(label)
	cost := f.credits * v.factor
	m := &pb.ClientModelConfig{
		Label:                  label,
		ModelUid:               uid,
		ModelOrAlias:           &pb.ModelOrAlias{Choice: &pb.ModelOrAlias_ModelUid{ModelUid: uid}},
		CreditMultiplier:       cost,
		SupportsImages:         f.images,
		IsPremium:              cost >= 1,
		Provider:               f.provider,
		IsRecommended:          age == 0 && i == 0,
		IsNew:                  age == 0,
		AllowedTiers:           paidTiers,
		PricingType:            pb.ModelPricingType_MODEL_PRICING_TYPE_STATIC_CREDIT,
		ApiProvider:            f.host,
		MaxTokens:              f.tokens,
		ModelCostTier:          costTier(cost),
		Description:            new(f.about),
		IsDefaultModelInFamily: age == 0 && i == 0,
		ModelInfo: &pb.ModelInfo{ //nolint:gosec // tokens of text, not of a sign-in
			ModelType: pb.ModelType_MODEL_TYPE_CHAT, MaxTokens: f.tokens, TokenizerType: "LLAMA_WITH_SPECIAL",
			ApiProvider: f.host, ModelName: uid, SupportsContext: true, MaxOutputTokens: 64_000, ModelUid: uid,
		},
		ModelDimensions: []*pb.ModelDimension{
			{Label: "Cost", Value: cost, Denominator: "credits", MaxRange: 32, Kind: pb.ModelDimensionKind_MODEL_DIMENSION_KIND_COST},
			{Label: "Context", Value: float32(f.tokens / 1000), Denominator: "k tokens", MaxRange: 1000},
		},
	}
	if age > 2 {
		m.Disabled = true
		m.DisabledReason = &pb.ModelDisabledReason{
			ShortReason: "Retired", Description: new("Take " + f.label + f.versions[0] + " instead."),
		}
	}
	return m
}

// oddModels are the difficult entries for a client: an alias, a model with only an
// enum, one that is a different model for each account, and one outside the plan.
func oddModels() []*pb.ClientModelConfig {
	return []*pb.ClientModelConfig{
		{
			Label: "Auto", ModelUid: "auto", ModelOrAlias: &pb.ModelOrAlias{Choice: &pb.ModelOrAlias_Alias{Alias: pb.ModelAlias_MODEL_ALIAS_AUTO}},
			CreditMultiplier: 1, IsRecommended: true, Provider: pb.ModelProvider_MODEL_PROVIDER_WINDSURF,
		},
		{
			Label: "SWE-1.5 (legacy)", ModelOrAlias: &pb.ModelOrAlias{Choice: &pb.ModelOrAlias_Model{Model: pb.Model_MODEL_SWE_1_5}},
			Provider: pb.ModelProvider_MODEL_PROVIDER_WINDSURF, PromoStatus: &pb.PromoStatus{IsActive: true, Label: "Free"},
		},
		{
			Label: "Penguin Alpha", ModelUid: "MODEL_PRIVATE_1", CreditMultiplier: 0.5, IsBeta: true,
			ModelOrAlias:       &pb.ModelOrAlias{Choice: &pb.ModelOrAlias_Model{Model: pb.Model_MODEL_PRIVATE_1}},
			BetaWarningMessage: "This model may go away without notice.",
		},
		{
			Label: "Claude Opus 4.7 (own key)", ModelUid: "claude-opus-4-7-byok", Disabled: true,
			ModelOrAlias: &pb.ModelOrAlias{Choice: &pb.ModelOrAlias_ModelUid{ModelUid: "claude-opus-4-7-byok"}},
			PricingType:  pb.ModelPricingType_MODEL_PRICING_TYPE_BYOK, ApiProvider: pb.APIProvider_API_PROVIDER_ANTHROPIC_BYOK,
			DisabledReason: &pb.ModelDisabledReason{
				ShortReason: "No key", Description: new("Add a key of your own."), Link: new("https://example.com/keys"),
			},
		},
	}
}

var paidTiers = []pb.TeamsTier{
	pb.TeamsTier_TEAMS_TIER_TEAMS, pb.TeamsTier_TEAMS_TIER_PRO, pb.TeamsTier_TEAMS_TIER_ENTERPRISE_SAAS,
	pb.TeamsTier_TEAMS_TIER_DEVIN_TEAMS, pb.TeamsTier_TEAMS_TIER_DEVIN_PRO, pb.TeamsTier_TEAMS_TIER_DEVIN_MAX,
}

func costTier(credits float32) pb.ModelCostTier {
	switch {
	case credits == 0:
		return pb.ModelCostTier_MODEL_COST_TIER_FREE
	case credits <= 1:
		return pb.ModelCostTier_MODEL_COST_TIER_LOW
	case credits <= 4:
		return pb.ModelCostTier_MODEL_COST_TIER_MEDIUM
	default:
		return pb.ModelCostTier_MODEL_COST_TIER_HIGH
	}
}

// olderUIDs are the UIDs of models from the time when a model was an enum name. They
// kept that name (PROTOCOL.md 7.9).
var olderUIDs = map[string]string{
	"Claude Opus 4.5":            "MODEL_CLAUDE_4_5_OPUS",
	"Claude Opus 4.5 Thinking":   "MODEL_CLAUDE_4_5_OPUS_THINKING",
	"Claude Sonnet 4.5":          "MODEL_CLAUDE_4_5_SONNET",
	"Claude Sonnet 4.5 Thinking": "MODEL_CLAUDE_4_5_SONNET_THINKING",
	"GPT-5.2 Low":                "MODEL_GPT_5_2_LOW",
	"GPT-5.2 Medium":             "MODEL_GPT_5_2_MEDIUM",
	"GPT-5.2 High":               "MODEL_GPT_5_2_HIGH",
	"GPT-5.2 X-High":             "MODEL_GPT_5_2_XHIGH",
	"GPT-5.2 Low Fast":           "MODEL_GPT_5_2_LOW_PRIORITY",
	"GPT-5.2 Medium Fast":        "MODEL_GPT_5_2_MEDIUM_PRIORITY",
	"GPT-5.2 High Fast":          "MODEL_GPT_5_2_HIGH_PRIORITY",
	"GPT-5.2 X-High Fast":        "MODEL_GPT_5_2_XHIGH_PRIORITY",
}

// uidOf makes a UID in the form of the real ones: claude-opus-4-7-medium for "Claude
// Opus 4.7 Medium".
func uidOf(label string) string {
	if uid, ok := olderUIDs[label]; ok {
		return uid
	}
	return strings.ToLower(strings.NewReplacer(" ", "-", ".", "-", "X-High", "xhigh").Replace(label))
}
