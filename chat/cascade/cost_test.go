package cascade

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

func tokens(input, output, cached int64) *chat.Tokens {
	return &chat.Tokens{Input: input, Output: output, Cached: &cached}
}

// What a model read from its cache is a part of the input; what cannot be a count is none.
func TestTokensOfAStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, metadata string
		want           *chat.Tokens
	}{
		{"all", `{"modelUsage":{"inputTokens":"415","outputTokens":"251","cacheWriteTokens":"683","cacheReadTokens":"11217","modelUid":"x"}}`, tokens(12315, 251, 11217)},
		{"numbers", `{"modelUsage":{"inputTokens":415,"outputTokens":251}}`, tokens(415, 251, 0)},
		{"all_cached", `{"modelUsage":{"outputTokens":"1","cacheReadTokens":"9"}}`, tokens(9, 1, 9)},
		{"nothing", `{}`, nil},
		{"empty", `{"modelUsage":{}}`, nil},
		{"input_alone", `{"inputTokens":"415","cacheReadTokens":"9"}`, nil},
		{"no_output", `{"modelUsage":{"inputTokens":"415"}}`, nil},
		{"negative", `{"modelUsage":{"inputTokens":-5,"outputTokens":"251"}}`, nil},
		{"half_a_token", `{"modelUsage":{"inputTokens":0.5,"outputTokens":"251"}}`, nil},
		{"too_many", `{"modelUsage":{"inputTokens":1e300,"outputTokens":"251"}}`, nil},
		{"words", `{"modelUsage":{"inputTokens":"many","outputTokens":"251"}}`, nil},
		{"another_kind", `{"modelUsage":[1]}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			step := readStep(gjson.Parse(`{"type":"CORTEX_STEP_TYPE_PLANNER_RESPONSE","metadata":` + tt.metadata + `}`))
			if diff := cmp.Diff(tt.want, step.tokens); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The tokens of a turn are those of all its steps, or unknown.
func TestTokensOfATurn(t *testing.T) {
	t.Parallel()
	prompt := trajectoryStep{kind: "CORTEX_STEP_TYPE_USER_INPUT"}
	answer := func(told *chat.Tokens) trajectoryStep {
		return trajectoryStep{kind: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", tokens: told}
	}
	tool := trajectoryStep{kind: "CORTEX_STEP_TYPE_VIEW_FILE"}
	ending := trajectoryStep{kind: "CORTEX_STEP_TYPE_CHECKPOINT", tokens: tokens(7, 1, 0)}
	tests := []struct {
		name  string
		steps []trajectoryStep
		want  *chat.Tokens
	}{
		{"one", []trajectoryStep{prompt, answer(tokens(10, 2, 1))}, tokens(10, 2, 1)},
		{"several", []trajectoryStep{prompt, answer(tokens(10, 2, 1)), tool, answer(tokens(30, 4, 10)), ending}, tokens(47, 7, 11)},
		{"of_the_turn_alone", []trajectoryStep{prompt, answer(tokens(10, 2, 1)), prompt, answer(tokens(30, 4, 10))}, tokens(30, 4, 10)},
		{"one_is_silent", []trajectoryStep{prompt, answer(tokens(10, 2, 1)), answer(nil)}, nil},
		{"cached_unknown", []trajectoryStep{prompt, answer(&chat.Tokens{Input: 5, Output: 1}), answer(tokens(10, 2, 1))}, &chat.Tokens{Input: 15, Output: 3}},
		{"no_answer", []trajectoryStep{prompt, tool}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, trajectory{steps: tt.steps}.tokens()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
