package antigravity

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/usage/field"
	"windsock/usage/saved"
)

// Anonymize returns the parts of an answer that [Decode] reads, and nothing else, fit
// for a public bug report, as [saved.Answer] writes them. Decode gives the same result
// for it as for raw, errors included, but for the account, and for names that are not
// like the server's own.
func Anonymize(raw []byte) []byte { return saved.Answer(raw, rootFields) }

// rootFields are the top-level fields of an answer in any form.
var rootFields = saved.Fields{
	"response":    saved.Within(groupFields),
	"groups":      groups,
	"status":      one(succeeded),
	"command":     saved.Within(saved.Fields{"data": saved.Within(groupFields)}),
	"quota":       saved.Keyed(ownID, saved.Within(bucketFields)),
	"plan_tier":   tier,
	"agent_state": (*saved.Saver).StandIn,
	"userStatus": saved.Within(saved.Fields{
		"userTier":   saved.Within(saved.Fields{"name": tier}),
		"planStatus": saved.Within(saved.Fields{"planInfo": saved.Within(saved.Fields{"planName": tier})}),
		"cascadeModelConfigData": saved.Within(saved.Fields{"clientModelConfigs": saved.Each(saved.Within(saved.Fields{
			"label":        pooled,
			"modelOrAlias": saved.Within(saved.Fields{"model": one(hidden...)}),
			"quotaInfo":    saved.Within(saved.Fields{"remainingFraction": fraction, "resetTime": saved.Date}),
		}))}),
	}),
}

var groupFields = saved.Fields{"groups": groups}

var groups = saved.Each(saved.Within(saved.Fields{"buckets": saved.Each(saved.Within(bucketFields))}))

var bucketFields = saved.Fields{
	"bucketId": keptText(ownID), "id": keptText(ownID),
	"displayName": keptText(ownName), "name": keptText(ownName),
	"window":            one("5h", "weekly"),
	"remainingFraction": fraction, "remaining_fraction": fraction,
	"remaining": saved.Within(saved.Fields{"remainingFraction": fraction, "case": one("remainingFraction"), "value": fraction}),
	"resetTime": saved.Date, "reset_time": saved.Date,
	"disabled": saved.Boolean,
}

var fraction = saved.Number(field.Fraction)

// tier keeps the name of a public plan.
var tier = saved.Name(
	"Google AI Plus", "Google AI Pro", "Google AI Ultra", "Gemini Code Assist", "Gemini Code Assist in Google One AI Pro",
	"Gemini Code Assist in Google One AI Ultra", "Free", "Starter", "Plus", "Pro", "Ultra", "Teams", "Enterprise",
)

// What the server's own IDs and names look like. An address, a path, a key or the ID of
// a person does not.
var (
	ownID   = saved.Like(`^[a-z0-9]{1,12}(-[a-z0-9]{1,12}){0,3}$`)
	ownName = saved.Like(`^[A-Za-z0-9-]{1,16}( [A-Za-z0-9-]{1,16}){0,5}$`)
)

// keptText keeps a text that passes.
func keptText(keep func(text string) bool) saved.Keeper {
	return func(s *saved.Saver, v gjson.Result) {
		if v.Type == gjson.String && keep(v.Str) {
			s.Text(v.Str)
			return
		}
		s.StandIn(v)
	}
}

func one(texts ...string) saved.Keeper {
	return keptText(func(text string) bool { return slices.Contains(texts, text) })
}

// pooled keeps of a model's name what its pool goes by.
func pooled(s *saved.Saver, v gjson.Result) {
	switch {
	case v.Type != gjson.String:
		s.StandIn(v)
	case strings.TrimSpace(v.Str) == "":
		s.Text("")
	case isGemini(v.Str):
		s.Text("Gemini")
	default:
		s.Text("Claude/GPT")
	}
}
