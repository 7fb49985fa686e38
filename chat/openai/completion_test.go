package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	var got chat.Prompt
	s := run(t, func(ctx context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		got = prompt
		return says("Hi.")(ctx, prompt, tell)
	}, nil)
	a := s.do(t, http.MethodPost, completions, `{"temperature":1,`+helloBody[1:])
	var c completion
	if err := json.Unmarshal([]byte(a.body), &c); err != nil || a.status != 200 {
		t.Fatal(a, err)
	}
	text, stop := "Hi.", "stop"
	want := completion{
		ID: c.ID, Object: "chat.completion", Created: c.Created, Model: "gpt-5.2:high",
		Choices:  []answerPart{{Message: &reply{Role: "assistant", Content: &text}, FinishReason: &stop}},
		Usage:    &chatUsage{Input: 2, Output: 1, Total: 3, Estimated: true},
		Warnings: []string{"Without effect: temperature."}, Windsock: &chat.Account{Engine: chat.Cascade, Ref: "c1", CascadeID: new("c1"), Archived: true},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(chat.Prompt{Text: "hello", Model: "gpt-5-2-high"}, got); diff != "" {
		t.Error(diff)
	}
	if got := a.header.Get("Windsock-Ignored"); got != "temperature" {
		t.Errorf("ignored %q", got)
	}
}

// The answer of a model that does not comply, and of one that does, in both APIs,
// streamed or not.
func TestConclusions(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","function":{"name":"get_time"}}],`
	const object = `"response_format":{"type":"json_object"},`
	// The same for the Responses API.
	twin := strings.NewReplacer(
		tools, `"tools":[{"type":"function","name":"get_time"}],`, object, `"text":{"format":{"type":"json_object"}},`,
	)
	const callText = `{"KEY":[{"name":"get_time","arguments":{"zone":"UTC"}},{"name":"get_time","arguments":{}}]}`
	const quoted = `{"name":"get_time","arguments":{"zone":"UTC"}}`
	tests := []struct {
		name, fields, text string // KEY is what the model is asked for
		content            string // "null" is none
		calls              int
		reason, warning    string
	}{
		{"calls", tools, "I look.\n" + callText, "I look.", 2, "tool_calls", ""},
		{"calls_only", tools, callText, "null", 2, "tool_calls", ""},
		{"one_call_is_wanted", tools + `"parallel_tool_calls":false,`, callText, "null", 1, "tool_calls", "several tools"},
		{"no_call", tools, "It is noon.", "It is noon.", 0, "stop", ""},
		{"call_was_demanded", tools + `"tool_choice":"required",`, "It is noon.", "It is noon.", 0, "stop", "called no tool"},
		{"tools_are_off", tools + `"tool_choice":"none",`, callText, callText, 0, "stop", ""},
		{"quoted_readme", tools, "The README says:\n```json\n" + quoted + "\n```\nThat is all.", "The README says:\n```json\n" + quoted + "\n```\nThat is all.", 0, "stop", ""},
		{"nothing_but_a_fence", tools, "```json\n" + quoted + "\n```", "null", 1, "tool_calls", ""},
		{"json", object, "```json\n{\"a\":1}\n```", `{"a":1}`, 0, "stop", ""},
		{"json_was_demanded", object, "no", "no", 0, "stop", "no JSON object"},
		{"json_or_call", tools + object, callText, "null", 2, "tool_calls", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, obeys(tt.text), nil)
			for _, ask := range []struct{ path, fields, body string }{
				{completions, tt.fields, helloBody},
				{completions, tt.fields, streamBody},
				{responsesPath, twin.Replace(tt.fields), responseBodyOf("hello")},
				{responsesPath, twin.Replace(tt.fields), streamed(responseBodyOf("hello"))},
			} {
				a := s.do(t, http.MethodPost, ask.path, "{"+ask.fields+ask.body[1:])
				got := conclusionOf(t, a.body)
				if got.content != tt.content || got.calls != tt.calls || got.reason != tt.reason {
					t.Errorf("got %+v\n%s", got, a.body)
				}
				if all := strings.Join(got.warnings, " "); !strings.Contains(all, tt.warning) || (all == "") != (tt.warning == "") {
					t.Errorf("warnings %q", all)
				}
			}
		})
	}
}

// concluded is what a client takes from an answer.
type concluded struct {
	content  string // "null" is none
	calls    int
	reason   string
	warnings []string
}

// conclusionOf reads an answer of either API, streamed or not.
func conclusionOf(t *testing.T, body string) concluded {
	t.Helper()
	var kind struct{ Object string }
	_ = json.Unmarshal([]byte(body), &kind) // a stream is none
	got := concluded{content: "null", reason: "stop"}
	if kind.Object == "response" || strings.HasPrefix(body, "event:") {
		r := responseOf(t, body)
		for _, item := range r.Output {
			if item.Type == "function_call" {
				got.calls++
				got.reason = "tool_calls"
			} else {
				got.content = item.Content[0].Text
			}
		}
		got.warnings = r.Warnings
		return got
	}
	var c completion
	if kind.Object == "" {
		c = assemble(t, body)
	} else if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	part := c.Choices[0]
	if part.Message.Content != nil {
		got.content = *part.Message.Content
	}
	got.calls, got.reason, got.warnings = len(part.Message.Calls), *part.FinishReason, c.Warnings
	return got
}

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
		{"cached_not_told", completions, helloBody, &chat.Tokens{Input: 120, Output: 7}, `"usage":{"prompt_tokens":120,"completion_tokens":7,"total_tokens":127,"prompt_tokens_details":{"cached_tokens":0}}`},
		{"estimate", completions, helloBody, nil, `"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0},"estimated":true}`},
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

// An answer that was ended at a limit says so.
func TestCutAnswer(t *testing.T) {
	t.Parallel()
	s := run(t, func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
		return chat.Answer{Text: "Half", Ref: "c1", Sent: true, Cut: true}, nil
	}, nil)
	if a := s.do(t, http.MethodPost, completions, helloBody); !strings.Contains(a.body, `"finish_reason":"length"`) {
		t.Error(a.body)
	}
	if r := responseOf(t, s.do(t, http.MethodPost, responsesPath, responseBodyOf("hello")).body); r.Status != "incomplete" || r.Incomplete == nil || r.Incomplete.Reason != "max_output_tokens" {
		t.Errorf("got %+v", r)
	}
	if a := s.do(t, http.MethodPost, responsesPath, streamed(responseBodyOf("hello"))); !strings.Contains(a.body, "event: response.incomplete\n") {
		t.Error(a.body)
	}
}

// keyPattern finds the key of a call in a prompt.
var keyPattern = regexp.MustCompile(`"(tool_calls-[a-z2-7]{4,})":\[\{"name":"NAME"`)

// obeys answers with a text in which KEY is the key that the prompt asks for, piece
// by piece.
func obeys(text string) asking {
	return func(_ context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		text := text
		if key := keyPattern.FindStringSubmatch(prompt.Text); key != nil {
			text = strings.ReplaceAll(text, "KEY", key[1])
		}
		for piece := range slices.Chunk([]byte(text), 3) {
			tell(chat.Event{Kind: chat.Grows, Text: string(piece)})
		}
		return chat.Answer{Text: text, Ref: "c1", Sent: true}, nil
	}
}

// assemble puts a stream together as a client does.
func assemble(t *testing.T, body string) completion {
	t.Helper()
	whole := completion{Choices: []answerPart{{Message: &reply{}}}}
	message := whole.Choices[0].Message
	for _, event := range events(t, body) {
		var chunk completion
		if err := json.Unmarshal([]byte(event), &chunk); err != nil {
			t.Fatal(err)
		}
		delta := chunk.Choices[0].Delta
		if delta.Content != nil && *delta.Content != "" {
			text := *delta.Content
			if message.Content != nil {
				text = *message.Content + text
			}
			message.Content = &text
		}
		message.Calls = append(message.Calls, delta.Calls...)
		whole.Warnings = append(whole.Warnings, chunk.Warnings...)
		if chunk.Choices[0].FinishReason != nil {
			whole.Choices[0].FinishReason = chunk.Choices[0].FinishReason
		}
	}
	return whole
}

// events are the data of a stream, which has to end as one.
func events(t *testing.T, body string) []string {
	t.Helper()
	var found []string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok && !strings.HasPrefix(event, ":") || strings.Contains(data, "\n") {
			t.Fatalf("event %q", event)
		}
		if ok {
			found = append(found, data)
		}
	}
	last := len(found) - 1
	if found[last] != "[DONE]" {
		t.Fatalf("ends with %q", found[last])
	}
	return found[:last]
}

func TestModels(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), func(o *Options) { o.Chat = behind(says("Hi."), "opus 4.5", nil) })
	var list struct{ Data []modelEntry }
	if err := json.Unmarshal([]byte(s.do(t, http.MethodGet, "/v1/models", "").body), &list); err != nil {
		t.Fatal(err)
	}
	two := 2.0
	want := []modelEntry{
		{ID: "gpt-5.2:high", Object: "model", OwnedBy: "windsurf", Label: "GPT-5.2 High", UID: "gpt-5-2-high", ContextLength: 400000, CreditMultiplier: &two},
		{ID: "gpt-5.2:xhigh-fast", Object: "model", OwnedBy: "windsurf", Label: "GPT-5.2 X-High Fast", UID: "gpt-5-2-xhigh-fast"},
		{ID: "claude-opus-4.5", Object: "model", OwnedBy: "windsurf", Label: "Claude Opus 4.5", UID: "claude-opus-4-5", Default: true},
		{ID: "claude-opus-4.5:thinking", Object: "model", OwnedBy: "windsurf", Label: "Claude Opus 4.5 Thinking", UID: "claude-opus-4-5-thinking"},
		{ID: "secret-model", Object: "model", OwnedBy: "windsurf", Label: "Secret Model"},
	}
	if diff := cmp.Diff(want, list.Data); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"gpt-5.2:high", "gpt-5-2-high", "GPT-5.2%20High"} {
		if a := s.do(t, http.MethodGet, "/v1/models/"+name, ""); a.status != 200 || !strings.Contains(a.body, `"id":"gpt-5.2:high"`) {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}

// /v1/usage has the given document. For old or missing figures, the status says why.
func TestUsage(t *testing.T) {
	t.Parallel()
	document := map[string]int{"remaining": 40}
	tests := []struct {
		name   string
		usage  Usage
		status int
		want   string
	}{
		{"figures", Usage{Document: document}, 200, `{"remaining":40}`},
		{"old_figures", Usage{Document: document, Err: trouble{code: "not_running"}}, 503, `{"remaining":40}`},
		{"the_end_of_the_app", Usage{}, 503, `"code":"stopping"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, says("Hi."), func(o *Options) {
				o.Usage = func(context.Context) Usage { return tt.usage }
			})
			a := s.do(t, http.MethodGet, "/v1/usage", "")
			if a.status != tt.status {
				t.Errorf("status %d", a.status)
			}
			if !strings.Contains(a.body, tt.want) {
				t.Errorf("no %s in %s", tt.want, a.body)
			}
		})
	}
}
