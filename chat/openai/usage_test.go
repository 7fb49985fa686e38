package openai

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"windsock/chat"
)

// What the server has counted is told as it is, else an estimate that says it is one.
// In a stream of chat completions, that is for those who ask for it.
func TestTokens(t *testing.T) {
	t.Parallel()
	const counted = `"completion_tokens":7,"total_tokens":127,"prompt_tokens_details":{"cached_tokens":100}}`
	tests := []struct {
		name, path, body string
		told             *chat.Tokens
		want             string
	}{
		{"told", completions, helloBody, &chat.Tokens{Input: 120, Output: 7, Cached: new(int64(100))}, `"usage":{"prompt_tokens":120,` + counted},
		{"cached_not_told", completions, helloBody, &chat.Tokens{Input: 120, Output: 7}, `"usage":{"prompt_tokens":120,"completion_tokens":7,"total_tokens":127}`},
		{"estimate", completions, helloBody, nil, `"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5,"estimated":true}`},
		{"streamed", completions, streamBody, nil, ""},
		{
			"streamed_and_wanted", completions, `{"stream_options":{"include_usage":true},` + streamBody[1:], &chat.Tokens{Input: 120, Output: 7, Cached: new(int64(100))},
			`"choices":[],"usage":{"prompt_tokens":120,` + counted + "}\n\ndata: [DONE]\n\n",
		},
		{"streamed_and_not_wanted", completions, `{"stream_options":{"include_usage":false},` + streamBody[1:], nil, ""},
		{
			"response", responsesPath, responseBodyOf("hello"), &chat.Tokens{Input: 120, Output: 7, Cached: new(int64(100))},
			`"usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":100},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":127}`,
		},
		{
			"response_estimate", responsesPath, streamed(responseBodyOf("hello")), nil,
			`"usage":{"input_tokens":2,"input_tokens_details":{"cached_tokens":0},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":5,"estimated":true}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
				return chat.Answer{Text: "Nine bytes", Ref: "c1", Sent: true, Tokens: tt.told}, nil
			}, nil)
			a := s.do(t, http.MethodPost, tt.path, tt.body)
			if a.status != 200 || !strings.Contains(a.body, tt.want) || tt.want == "" && strings.Contains(a.body, "tokens_details") {
				t.Errorf("got %d: %s", a.status, a.body)
			}
		})
	}
}
