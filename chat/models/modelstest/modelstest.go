// Package modelstest has models for tests: a simulated server's, and a few made up.
package modelstest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// simulatedAnswer is a simulated server's answer to GetUserStatus.
var simulatedAnswer = sync.OnceValues(func() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	config := simulator.Config{At: time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)}
	return simtest.Answer(ctx, config, "GetUserStatus", `{"metadata":{"apiKey":"sk-ws-01-test"}}`)
})

// Status is a simulated server's answer to GetUserStatus.
func Status(tb testing.TB) []byte {
	tb.Helper()
	raw, err := simulatedAnswer()
	if err != nil || len(raw) < 50_000 {
		tb.Fatalf("%d bytes, %v", len(raw), err)
	}
	return raw
}

// Decode reads the models of an answer.
func Decode(tb testing.TB, raw string) chat.Catalogue {
	tb.Helper()
	c, err := models.Decode([]byte(raw))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Simulated are the models of a simulated server.
func Simulated(tb testing.TB) chat.Catalogue {
	tb.Helper()
	return Decode(tb, string(Status(tb)))
}

// Listed has a model for each line: "label" or "label|uid", with a leading ! for a
// disabled one.
func Listed(lines ...string) chat.Catalogue {
	var c chat.Catalogue
	for _, line := range lines {
		line, disabled := strings.CutPrefix(line, "!")
		label, uid, ok := strings.Cut(line, "|")
		if !ok {
			uid = strings.ToLower(strings.NewReplacer(" ", "-", ".", "-").Replace(label))
		}
		c.Models = append(c.Models, chat.Model{UID: uid, Label: label, Disabled: disabled})
	}
	return c
}

// Few is an answer with one entry of each kind.
const Few = `{"userStatus":{"planStatus":{"planInfo":{"teamsTier":"TEAMS_TIER_TEAMS"}},"cascadeModelConfigData":{
	"defaultOverrideModelConfig":{"modelUid":"swe-1-6"},
	"clientModelSorts":[{"groups":[{"modelLabels":["SWE-1.6","Claude Opus 4.5"]}]}],
	"clientModelConfigs":[
		{"label":"Claude Opus 4.5","modelUid":"claude-opus-4-5","creditMultiplier":2,"pricingType":"MODEL_PRICING_TYPE_STATIC_CREDIT","isRecommended":true,"supportsImages":true,"maxTokens":200000},
		{"label":"SWE-1.6","modelUid":"swe-1-6","pricingType":"MODEL_PRICING_TYPE_STATIC_CREDIT","isNew":true,"isRecommended":true},
		{"label":"Claude Opus 4.7","modelUid":"claude-opus-4-7","disabled":true,"creditMultiplier":4.5,"disabledReason":{"shortReason":"Retired","description":"Take Claude Opus 4.5."}},
		{"label":"GPT-5.2 High","modelUid":"gpt-5-2-high","creditMultiplier":0.25,"pricingType":1,"isCapacityLimited":true,"promoStatus":{"isActive":true,"label":"Half price"}},
		{"label":"\u6a21\u578b 🪁","modelUid":"kite","isBeta":true},
		{"label":"Penguin","modelUid":"MODEL_PRIVATE_3","creditMultiplier":1,"promoStatus":{"isActive":true}},
		{"label":"Own","modelUid":"own","pricingType":"MODEL_PRICING_TYPE_BYOK"},
		{"label":"Metered","modelUid":"metered","pricingType":"MODEL_PRICING_TYPE_API"},
		{"label":"Devin","modelUid":"devin","pricingType":"MODEL_PRICING_TYPE_DEVIN_ENTERPRISE"},
		{"label":"Gemini 3 Pro","modelUid":"gemini-3-pro","disabled":true,"allowedTiers":["TEAMS_TIER_MAX"]}
	]}}}`
