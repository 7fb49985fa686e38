package windsurf

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"windsock/usage"
)

// largeAnswer is an answer of some 170 KB, nearly all of it models.
func largeAnswer() []byte {
	var models strings.Builder
	for i := range 300 {
		if i > 0 {
			models.WriteByte(',')
		}
		fmt.Fprintf(&models, `{"label":"Model %d (High Thinking)","modelOrAlias":{"model":"MODEL_PRIVATE_%d"},`+
			`"creditMultiplier":%d.5,"supportsImages":true,"allowedTiers":["TEAMS_TIER_PRO","TEAMS_TIER_TEAMS",`+
			`"TEAMS_TIER_TEAMS_ULTIMATE","TEAMS_TIER_PRO_ULTIMATE","TEAMS_TIER_TRIAL","TEAMS_TIER_ENTERPRISE_SAAS"],`+
			`"modelUid":"model-%d","pricingType":"MODEL_PRICING_TYPE_STATIC_CREDIT","provider":"MODEL_PROVIDER_OPENAI",`+
			`"modelInfo":{"maxTokens":200000,"tokenizerType":"LLAMA_WITH_SPECIAL","modelFeatures":{"supportsToolCalls":true,`+
			`"supportsThinking":true,"supportsParallelToolCalls":true}}}`, i, i, i%8, i)
	}
	return []byte(`{"userStatus":{"name":"Someone","planStatus":{"planInfo":{"planName":"Teams",
		"billingStrategy":"BILLING_STRATEGY_CREDITS","monthlyPromptCredits":50000},"planStart":"2026-01-18T09:07:17Z",
		"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":4700},
		"cascadeModelConfigData":{"clientModelConfigs":[` + models.String() + `]}}}`)
}

func BenchmarkDecode(b *testing.B) {
	raw := largeAnswer()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(raw, usage.Source{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeStandardLibrary is the baseline: the same answer into a map.
func BenchmarkDecodeStandardLibrary(b *testing.B) {
	raw := largeAnswer()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var all map[string]any
		if err := json.Unmarshal(raw, &all); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeSlimStruct is the baseline that names only what is needed.
func BenchmarkDecodeSlimStruct(b *testing.B) {
	raw := largeAnswer()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var slim struct {
			UserStatus struct {
				PlanStatus map[string]any `json:"planStatus"` //nolint:tagliatelle // the wire's name
			} `json:"userStatus"` //nolint:tagliatelle // the wire's name
		}
		if err := json.Unmarshal(raw, &slim); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDecodeSkipsModels: a snapshot that lives for weeks must not hold its answer, so
// its allocations stay far below the answer's size.
func TestDecodeSkipsModels(t *testing.T) {
	raw := largeAnswer()
	if len(raw) < 150_000 {
		t.Fatalf("the answer has %d bytes", len(raw))
	}
	const runs = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		if _, err := Decode(raw, usage.Source{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / runs; got > uint64(len(raw)/4) {
		t.Errorf("decoding %d bytes allocates %d", len(raw), got)
	}
}
