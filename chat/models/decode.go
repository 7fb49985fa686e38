// Package models reads the list of models from a language server's GetUserStatus
// answer. Package chat resolves their names.
package models

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/jsoncheck"
	"windsock/probe/terminal"
)

// Decode reads the list of models from a GetUserStatus answer (PROTOCOL.md 7.9). It is
// lenient: it skips unknown fields and enum values, accepts strings for numbers and
// booleans, treats null as absent, and drops an entry without any name. An answer
// without a list gives an empty catalogue. raw is not kept. The error is a
// [*ModelError].
func Decode(raw []byte) (chat.Catalogue, error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) || !jsoncheck.Valid(raw) {
		return chat.Catalogue{}, &chat.ModelError{Code: chat.BadModels}
	}
	data := gjson.GetBytes(raw, "userStatus.cascadeModelConfigData")
	if !data.IsObject() {
		data = gjson.GetBytes(raw, "cascadeModelConfigData")
	}
	if !data.IsObject() {
		return chat.Catalogue{}, nil
	}
	var configs, sorts, override gjson.Result
	data.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "clientModelConfigs":
			configs = v
		case "clientModelSorts":
			sorts = v
		case "defaultOverrideModelConfig":
			override = v
		}
		return true
	})
	models := readModels(configs, tierOf(raw))
	markDefault(models, overrideUID(override))
	return chat.Catalogue{Models: modelOrder(models, sorts)}, nil
}

// tierOf is the plan's tier as an enum name, "" if missing.
func tierOf(raw []byte) string {
	for _, path := range []string{"userStatus.planStatus.planInfo.teamsTier", "userStatus.teamsTier"} {
		if v := gjson.GetBytes(raw, path); v.Type == gjson.String {
			return v.Str
		}
	}
	return ""
}

func readModels(configs gjson.Result, tier string) []chat.Model {
	var models []chat.Model
	type identity struct{ uid, label string }
	seen := map[identity]bool{}
	eachElement(configs, func(v gjson.Result) {
		m, ok := readModel(v, tier)
		if id := (identity{m.UID, m.Label}); ok && !seen[id] {
			seen[id] = true
			models = append(models, m)
		}
	})
	return models
}

// modelEntry is a ClientModelConfig on the wire.
type modelEntry struct {
	model           chat.Model
	choice          gjson.Result // modelOrAlias
	info            gjson.Result
	multiplierThere bool
	tiers           gjson.Result
}

func readModel(object gjson.Result, tier string) (chat.Model, bool) {
	if !object.IsObject() {
		return chat.Model{}, false
	}
	e := modelEntry{model: chat.Model{Pricing: chat.PricingUnknown, CostTier: chat.CostUnknown}}
	object.ForEach(func(key, v gjson.Result) bool {
		if v.Type != gjson.Null {
			e.read(key.Str, v)
		}
		return true
	})
	m := e.model
	if m.UID == "" {
		m.UID = choiceUID(e.choice)
	}
	if m.Label == "" {
		m.Label = terminal.Line(m.UID)
	}
	if m.MaxTokens == 0 {
		m.MaxTokens = modelSize(e.info.Get("maxTokens"))
	}
	// The wire omits a zero. So a missing multiplier is 0 beside a fixed price or the
	// tier free. Other kinds of price have no multiplier.
	if !e.multiplierThere && (m.Pricing == chat.PricingStaticCredit || m.CostTier == chat.CostFree) {
		m.CreditMultiplier = new(float64)
	}
	return settled(m, e.tiers, tier), m.Label != ""
}

func (e *modelEntry) read(field string, v gjson.Result) {
	m := &e.model
	switch field {
	case "label":
		m.Label = modelText(v)
	case "modelUid":
		m.UID = UID(v)
	case "modelOrAlias":
		e.choice = v
	case "modelInfo":
		e.info = v
	case "creditMultiplier":
		e.multiplierThere = true
		m.CreditMultiplier = modelMultiplier(v)
	case "pricingType":
		m.Pricing = readPricing(v)
	case "modelCostTier":
		m.CostTier = chat.CostTier(modelEnum(v, "MODEL_COST_TIER_", string(chat.CostUnknown), "low", "medium", "high", "free"))
	case "isNew":
		m.New = modelFlag(v)
	case "isRecommended":
		m.Recommended = modelFlag(v)
	case "isBeta":
		m.Beta = modelFlag(v)
	case "isCapacityLimited":
		m.CapacityLimited = modelFlag(v)
	case "disabled":
		m.Disabled = modelFlag(v)
	case "disabledReason":
		m.Reason, m.Detail = modelText(v.Get("shortReason")), modelText(v.Get("description"))
	case "allowedTiers":
		e.tiers = v
	case "supportsImages":
		m.Images = modelFlag(v)
	case "maxTokens":
		m.MaxTokens = modelSize(v)
	case "description":
		m.Description = modelText(v)
	case "promoStatus":
		if modelFlag(v.Get("isActive")) {
			m.Promotion = &chat.Promotion{Label: modelText(v.Get("label")), Ends: modelDate(v.Get("endDate"))}
		}
	}
}

// settled says why a model is disabled, if the server does not. The tiers only explain
// what the server has disabled; they disable nothing: free plans have no tier of their
// own.
func settled(m chat.Model, tiers gjson.Result, tier string) chat.Model {
	switch {
	case m.UID == "":
		m.Disabled = true
		m.Reason, m.Detail = "no UID", "The server gives no UID to ask for it by."
	case !m.Disabled:
		m.Reason, m.Detail = "", ""
	case m.Reason != "" || m.Detail != "":
	case tier != "" && excludesTier(tiers, tier):
		m.Reason = "not in the plan"
	case m.CapacityLimited:
		m.Reason = "at capacity"
	}
	return m
}

func excludesTier(tiers gjson.Result, tier string) bool {
	named, there := 0, false
	eachElement(tiers, func(v gjson.Result) {
		there = there || v.Str == tier || v.Type != gjson.String // any type
		named++
	})
	return named > 0 && !there
}

// choiceUID is the UID in a ModelOrAlias. Older servers have an enum name there, which
// newer ones accept as a UID.
func choiceUID(choice gjson.Result) string {
	if !choice.IsObject() {
		return ""
	}
	for _, field := range []string{"modelUid", "model", "alias"} {
		uid := UID(choice.Get(field))
		if uid != "" && uid != "MODEL_UNSPECIFIED" && uid != "MODEL_ALIAS_UNSPECIFIED" {
			return uid
		}
	}
	return ""
}

func overrideUID(override gjson.Result) string {
	if !override.IsObject() {
		return ""
	}
	if uid := UID(override.Get("modelUid")); uid != "" {
		return uid
	}
	return choiceUID(override.Get("modelOrAliasDeprecated"))
}

// markDefault marks the first model with the UID, an enabled one if there is one.
func markDefault(models []chat.Model, uid string) {
	if uid == "" {
		return
	}
	is := func(m chat.Model) bool { return m.UID == uid }
	i := slices.IndexFunc(models, func(m chat.Model) bool { return is(m) && !m.Disabled })
	if i < 0 {
		i = slices.IndexFunc(models, is)
	}
	if i >= 0 {
		models[i].ServerDefault = true
	}
}

// modelOrder sorts the models by the server's sorts, which name them by label.
func modelOrder(models []chat.Model, sorts gjson.Result) []chat.Model {
	if len(models) == 0 {
		return nil
	}
	byLabel := make(map[string][]int, len(models))
	for i, m := range models {
		byLabel[m.Label] = append(byLabel[m.Label], i)
	}
	ordered := make([]chat.Model, 0, len(models))
	placed := make([]bool, len(models))
	place := func(i int) {
		if !placed[i] {
			placed[i] = true
			ordered = append(ordered, models[i])
		}
	}
	eachElement(sorts, func(sort gjson.Result) {
		eachElement(sort.Get("groups"), func(group gjson.Result) {
			eachElement(group.Get("modelLabels"), func(label gjson.Result) {
				for _, i := range byLabel[terminal.Line(label.Str)] {
					place(i)
				}
			})
		})
	})
	for i := range models {
		place(i)
	}
	return ordered
}

func eachElement(list gjson.Result, each func(gjson.Result)) {
	if !list.IsArray() {
		return
	}
	list.ForEach(func(_, v gjson.Result) bool {
		each(v)
		return true
	})
}
