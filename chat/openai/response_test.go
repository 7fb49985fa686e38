package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/probetest"
)

const responsesPath = "/v1/responses"

func responseBodyOf(input string) string {
	return fmt.Sprintf(`{"model":"gpt-5.2:high","input":%q}`, input)
}

func streamed(body string) string { return `{"stream":true,` + body[1:] }

// gotResponse is what a client reads of a response.
type gotResponse struct {
	ID, Status string
	Store      bool
	Output     []struct {
		ID, Type, Status string
		Content          []struct{ Text string }
		CallID           string `json:"call_id"`
		Name, Arguments  string
	}
	Error      *struct{ Code, Message string }
	Incomplete *struct{ Reason string } `json:"incomplete_details"`
	Warnings   []string
}

// responseOf reads a response: a whole one, or that of a stream's last event, which has
// to agree with the events before it.
func responseOf(t *testing.T, body string) gotResponse {
	t.Helper()
	var whole gotResponse
	if !strings.HasPrefix(body, "event: ") {
		if err := json.Unmarshal([]byte(body), &whole); err != nil {
			t.Fatal(err, body)
		}
		return whole
	}
	var texts, arguments strings.Builder
	for n, e := range responseEvents(t, body) {
		if e.Sequence != n {
			t.Errorf("event %d has the number %d", n, e.Sequence)
		}
		switch e.Type {
		case "response.output_text.delta":
			texts.WriteString(e.Delta)
		case "response.function_call_arguments.delta":
			arguments.WriteString(e.Delta)
		case "response.completed", "response.failed", "response.incomplete":
			whole = e.Response
		}
	}
	var want, wanted strings.Builder
	for _, item := range whole.Output {
		for _, part := range item.Content {
			want.WriteString(part.Text)
		}
		wanted.WriteString(item.Arguments)
	}
	if whole.Status == "" || texts.String() != want.String() || arguments.String() != wanted.String() {
		t.Errorf("streamed %q and %q, in the end %q and %q", texts.String(), arguments.String(), want.String(), wanted.String())
	}
	return whole
}

type gotEvent struct {
	Type     string
	Sequence int `json:"sequence_number"`
	Delta    string
	Response gotResponse
}

func responseEvents(t *testing.T, body string) []gotEvent {
	t.Helper()
	var all []gotEvent
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		var e gotEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name {
			t.Fatalf("%v in %q", err, event)
		}
		all = append(all, e)
	}
	return all
}

var randomPattern = regexp.MustCompile(`(resp|msg|fc|call)_[A-Z2-7]{26}|"created_at":\d+|"duration_ms":\d+`)

// settled replaces what is another each time.
func settled(text string) string {
	known := map[string]string{}
	return randomPattern.ReplaceAllStringFunc(text, func(found string) string {
		if key, _, isNumber := strings.Cut(found, `":`); isNumber {
			return key + `":0`
		}
		kind, _, _ := strings.Cut(found, "_")
		if known[found] == "" {
			known[found] = fmt.Sprintf("%s_%d", kind, len(known)+1)
		}
		return known[found]
	})
}

// The events of each kind of answer, as they go over the wire.
func TestResponseEvents(t *testing.T) {
	t.Parallel()
	const tools = `{"tools":[{"type":"function","name":"get_time"},{"type":"web_search"}],`
	tests := []struct {
		name, body string
		ask        asking
	}{
		{"text", `{`, obeys("Hi you.")},
		{"nothing", `{`, obeys("")},
		{"calls", tools, obeys("I look.\n" + `{"KEY":[{"name":"get_time","arguments":{"zone":"UTC"}},{"name":"get_time","arguments":{}}]}`)},
		{"calls_alone", tools, obeys(`{"KEY":[{"name":"get_time","arguments":{}}]}`)},
		{"object", `{"text":{"format":{"type":"json_object"}},`, obeys("So:\n```json\n{\"a\":1}\n```")},
		{"fails", `{`, fails("Half of", "c1", trouble{code: "turn_failed"})},
		{"rewritten", `{`, func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
			tell(grows("The draft."))
			tell(changes("The text."))
			return chat.Answer{Text: "The text.", Ref: "c1", Sent: true}, nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, tt.ask, nil)
			a := s.do(t, http.MethodPost, responsesPath, tt.body+`"stream":true,"input":"hello"}`)
			if a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
				t.Fatalf("got %d, %v", a.status, a.header)
			}
			responseOf(t, a.body)
			probetest.Golden(t, "events/"+tt.name+".txt", []byte(settled(a.body)))
		})
	}
}

// A failure before anything was streamed has a status of its own, as in the other API.
func TestResponseFailsAtOnce(t *testing.T) {
	t.Parallel()
	s := run(t, fails("", "c1", trouble{code: "turn_failed"}), nil)
	if a := s.do(t, http.MethodPost, responsesPath, streamed(responseBodyOf("hello"))); a.status != 502 || a.code() != "turn_failed" {
		t.Errorf("got %d: %s", a.status, a.body)
	}
	// The same prompt, by the other API.
	if a := s.do(t, http.MethodPost, completions, helloBody); a.code() != "failed_before" {
		t.Errorf("got %d: %s", a.status, a.body)
	}
}

// Signs of life are events, before the text begins and in the middle of it, and change
// nothing.
func TestResponseBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetrier(func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
			time.Sleep(25 * time.Second)
			tell(grows("Hi"))
			time.Sleep(14 * time.Second)
			tell(grows(" you."))
			return chat.Answer{Text: "Hi you.", Ref: "c1", Sent: true}, nil
		})
		a := r.sendTo(t.Context(), responses, streamed(responseBodyOf("hello")))
		if got := responseOf(t, a.body); got.Status != "completed" || got.Output[0].Content[0].Text != "Hi you." {
			t.Errorf("got %+v", got)
		}
		var kinds []string
		for _, e := range responseEvents(t, a.body) {
			kinds = append(kinds, strings.TrimPrefix(e.Type, "response.")+e.Delta)
		}
		want := []string{
			"created", "in_progress", "in_progress", "in_progress", "output_item.added", "content_part.added", "output_text.deltaHi",
			"output_text.delta", "output_text.delta you.", "output_text.done", "content_part.done", "output_item.done", "completed",
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Error(diff)
		}
	})
}
