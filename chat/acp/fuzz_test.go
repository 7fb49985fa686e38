package acp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
	"windsock/probe/jsoncheck"
)

// FuzzDecode: whatever an agent writes into a message, what is read of it is fit for
// use: figures are no less than zero, labels fit one line, an answer only grows, and
// nothing is ever allowed.
func FuzzDecode(f *testing.F) {
	for _, table := range []string{"permission", "update", "cost"} {
		for _, row := range fuzzSeeds(f, table) {
			f.Add([]byte(row))
		}
	}
	f.Add([]byte(newOptions))
	f.Add([]byte(oldOptions))
	f.Add([]byte(`{"code":-32011,"message":"m","data":{"cognition.ai/retryAfterSeconds":1e300}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !jsoncheck.Valid(text) {
			return
		}
		from := gjson.ParseBytes(text)
		var got told
		got.text.WriteString("before")
		for _, u := range append(from.Array(), from, from.Get("update")) {
			before := got.text.String()
			added, err := got.chunk(u)
			if err == nil && got.text.String() != before+added {
				t.Errorf("grew from %q by %q to %q", before, added, got.text.String())
			}
			got.usage(u)
			got.ended(u)
			var calls fence
			first, acts := calls.update(u, time.Now())
			calls.ask(u, time.Now())
			for _, kind := range []string{first, acts} {
				if _, known := deeds[kind]; kind != "" && !known && kind != otherKind && kind != "read" && kind != "search" && kind != "think" {
					t.Errorf("kind %q", kind)
				}
			}
		}
		for _, n := range []*float64{got.cost.Credits, got.cost.ACU} {
			if n != nil && !(*n >= 0) {
				t.Errorf("figure %v", *n)
			}
		}
		if got.tokens != nil && (got.tokens.Input < 0 || got.tokens.Output < 0) {
			t.Errorf("tokens %+v", got.tokens)
		}
		if p := got.cost.ListPrice; p != nil && (p.Amount < 0 || p.Currency == "" || strings.ContainsAny(p.Currency, "\n\x1b")) {
			t.Errorf("price %+v", p)
		}
		checkOptions(t, readOptions(from))
		said := refusal(from.Get("options"), false)
		for _, o := range from.Get("options").Array() {
			if o.Get("optionId").String() == said.OptionID && said.OptionID != "" && o.Get("kind").String() == "reject_once" {
				said.OptionID = ""
			}
		}
		if said.OptionID != "" {
			t.Errorf("chose %q", said.OptionID)
		}
		if _, err := json.Marshal(said); err != nil {
			t.Error(err)
		}
		e := &wire.Error{Code: from.Get("code").Int(), Message: from.Get("message").String(), Data: from.Get("data")}
		if f, ok := Devin.failure(t.Context(), &callError{methodPrompt, e}).(*chat.Failure); !ok || f.Wait < 0 || strings.ContainsAny(f.Words, "\n\x1b") { //nolint:errorlint // as it is returned
			t.Errorf("%+v", f)
		}
	})
}

func checkOptions(t *testing.T, o options) {
	t.Helper()
	if mode, ok := o.mode.chooseMode(); mode != "" && (!o.mode.has(mode) || !ok) {
		t.Errorf("mode %q", mode)
	}
	for _, m := range o.model.catalogue(true).Models {
		if m.UID == "" || m.Label == "" || strings.ContainsAny(m.Label, "\n\x1b") || !utf8.ValidString(m.Label) {
			t.Errorf("model %+v", m)
		}
	}
}

func fuzzSeeds(f *testing.F, table string) (rows []string) {
	f.Helper()
	for _, row := range rules(f, table, map[string]int{"permission": 7, "update": 10, "cost": 7}[table]) {
		rows = append(rows, row.Raw)
	}
	return rows
}
