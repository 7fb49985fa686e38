package models

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/jsoncheck"
	"windsock/probe/terminal"
)

// Number reads a finite number that is not negative, from a JSON number or a string.
func Number(v gjson.Result) (float64, bool) {
	if v.Type == gjson.String {
		if len(v.Str) > 64 || !jsoncheck.Valid([]byte(v.Str)) {
			return 0, false
		}
		v = gjson.Parse(v.Str)
	}
	if v.Type != gjson.Number || math.IsNaN(v.Num) || math.IsInf(v.Num, 0) || v.Num < 0 {
		return 0, false
	}
	return v.Num + 0, true // turns -0 into 0
}

// modelMultiplier reads a float of the wire, nil for none. A server may write 0.1 as
// the double 0.10000000149011612; that counts as 0.1.
func modelMultiplier(v gjson.Result) *float64 {
	n, ok := Number(v)
	if !ok || n > 1e6 { // no real price
		return nil
	}
	n, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', -1, 32), 64)
	if err != nil {
		return nil
	}
	return &n
}

// modelSize reads an int32 count; 0 if there is none.
func modelSize(v gjson.Result) int {
	n, ok := Number(v)
	if !ok || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}

func modelFlag(v gjson.Result) bool {
	return v.Type == gjson.True || v.Type == gjson.String && v.Str == "true"
}

// modelEnum reads an enum by its name, its number, or its bare word in any case. names
// begin with the value 1; unknown stands for 0 and all new values.
func modelEnum(v gjson.Result, prefix, unknown string, names ...string) string {
	if n, ok := Number(v); ok {
		if i := int(min(n, math.MaxInt32)); float64(i) == n && i >= 1 && i <= len(names) {
			return names[i-1]
		}
		return unknown
	}
	if v.Type != gjson.String {
		return unknown
	}
	word := strings.ToLower(strings.TrimPrefix(strings.ToUpper(v.Str), prefix))
	if i := slices.Index(names, word); i >= 0 {
		return names[i]
	}
	return unknown
}

func readPricing(v gjson.Result) chat.Pricing {
	const prefix = "MODEL_PRICING_TYPE_"
	if strings.TrimPrefix(strings.ToUpper(v.Str), prefix) == "DEVIN_ENTERPRISE" {
		return chat.PricingACUToken
	}
	return chat.Pricing(modelEnum(v, prefix, string(chat.PricingUnknown), "static_credit", "api", "byok", "acu_token", "acu_credit"))
}

func modelDate(v gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339, v.String())
	if err != nil || t.Unix() <= 0 {
		return time.Time{}
	}
	return t.UTC()
}

// UID reads a model's UID, which goes back to the server unchanged. It is "" for one with
// a blank or an unprintable character, and an overlong one.
func UID(v gjson.Result) string {
	if v.Type != gjson.String || len(v.Str) > chat.MaxModelName || strings.ContainsFunc(v.Str, func(r rune) bool {
		return r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}) {
		return ""
	}
	return strings.Clone(v.Str)
}

// maxModelText is longer than any label or reason, in runes.
const maxModelText = 400

// modelText is a text, cut if overlong, that shares no memory with the answer.
func modelText(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	text := terminal.Line(v.Str)
	if len(text) > maxModelText {
		if runes := []rune(text); len(runes) > maxModelText {
			text = strings.TrimRight(string(runes[:maxModelText-1]), " ") + "…"
		}
	}
	return strings.Clone(text)
}
