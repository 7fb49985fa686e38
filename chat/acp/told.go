package acp

import (
	"errors"
	"math"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/terminal"
)

// maxAnswer is the longest answer in bytes.
const maxAnswer = 4 << 20

var errAnswerLong = errors.New("the answer is too long")

// told is what an agent has told of one prompt: text, cost and tokens.
type told struct {
	text    strings.Builder
	message string // the id of the message that the text ends in
	tools   bool   // a tool was called
	cost    chat.Cost
	tokens  *chat.Tokens // of the session so far, which has one prompt
}

// chunk takes an update and returns what it adds to the answer, which only ever grows.
// Another message begins after a blank line.
func (t *told) chunk(u gjson.Result) (string, error) {
	if u.Get("sessionUpdate").String() != "agent_message_chunk" || u.Get("content.type").String() != "text" {
		return "", nil
	}
	text := u.Get("content.text").String()
	if text == "" {
		return "", nil
	}
	if id := u.Get("messageId").String(); id != "" {
		if t.message != "" && t.message != id && t.text.Len() > 0 {
			text = "\n\n" + text
		}
		t.message = id
	}
	if t.text.Len()+len(text) > maxAnswer {
		return "", errAnswerLong
	}
	t.text.WriteString(text)
	return text, nil
}

// usage takes the figures of a usage_update (PROTOCOL.md 11.5). A figure that cannot be
// one is unknown, not zero.
func (t *told) usage(u gjson.Result) {
	if u.Get("sessionUpdate").String() != "usage_update" {
		return
	}
	meta := u.Get("_meta")
	if n := amount(meta.Get(`cognition\.ai/totalCreditCost`)); n != nil {
		t.cost.Credits = n
	}
	if n := amount(meta.Get(`cognition\.ai/totalAcuCost`)); n != nil {
		t.cost.ACU = n
	}
	if tokens := readTokens(meta, `cognition\.ai/inputTokens`, `cognition\.ai/outputTokens`); tokens != nil {
		t.tokens = tokens
		if n := amount(meta.Get(`cognition\.ai/cachedReadTokens`)); n != nil && *n == math.Trunc(*n) && *n <= float64(tokens.Input) {
			cached := int64(*n)
			tokens.Cached = &cached
		}
	}
	currency := terminal.Line(u.Get("cost.currency").String())
	if n := amount(u.Get("cost.amount")); n != nil && currency != "" && len(currency) <= 8 {
		t.cost.ListPrice = &chat.Price{Amount: *n, Currency: currency}
	}
}

// ended takes the figures of the answer to session/prompt. Its own count comes before
// what updates told; Gemini's stands in a place of its own.
func (t *told) ended(result gjson.Result) {
	if tokens := readTokens(result.Get("usage"), "inputTokens", "outputTokens"); tokens != nil {
		t.tokens = tokens
	}
	if t.tokens == nil {
		t.tokens = readTokens(result.Get("_meta.quota.token_count"), "input_tokens", "output_tokens")
	}
}

// readTokens returns nil unless both figures are told. No prompt has none, so that a zero
// is that of an agent whose model tells no figures (PROTOCOL.md 11.5).
func readTokens(from gjson.Result, in, out string) *chat.Tokens {
	input, output := amount(from.Get(in)), amount(from.Get(out))
	if input == nil || output == nil || *input == 0 || *input != math.Trunc(*input) || *output != math.Trunc(*output) {
		return nil
	}
	return &chat.Tokens{Input: int64(*input), Output: int64(*output)}
}

// amount returns nil for what cannot be a figure of use.
func amount(v gjson.Result) *float64 {
	const most = 1e15 // an integer of this size is exact
	if v.Type != gjson.Number || math.IsNaN(v.Num) || v.Num < 0 || v.Num > most {
		return nil
	}
	n := v.Num
	return &n
}
