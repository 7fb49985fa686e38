package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windsock/chat"
)

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
