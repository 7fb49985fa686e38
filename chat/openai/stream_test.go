package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

func grows(text string) chat.Event   { return chat.Event{Kind: chat.Grows, Text: text} }
func changes(text string) chat.Event { return chat.Event{Kind: chat.Changes, Text: text} }

// Whatever the server does to its text, a client's assembled text is the server's
// final text, or the stream ends with an error.
func TestStreamRewrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []chat.Event
		text   string // at the end
		pieces []string
		error  string
	}{
		{"grows", []chat.Event{grows("One "), grows("two.")}, "One two.", []string{"One ", "two."}, ""},
		{"works_between", []chat.Event{grows("One "), {Kind: chat.Works, Text: "X"}, grows("two.")}, "One two.", []string{"One ", "two."}, ""},
		{"goes_on_from_what_was_sent", []chat.Event{grows("One"), changes("One two"), grows(".")}, "One two.", []string{"One", " two", "."}, ""},
		{"comes_back", []chat.Event{grows("One"), changes("Uno"), grows(" due"), changes("One two.")}, "One two.", []string{"One", " two."}, ""},
		{"shrinks_and_grows_again", []chat.Event{grows("One two"), changes("One"), grows(" two."), grows(" Three.")}, "One two. Three.", []string{"One two", ".", " Three."}, ""},
		{"another_text", []chat.Event{grows("This is the draft."), changes("This is the text.")}, "This is the text.", []string{"This is the draft."}, "answer_rewritten"},
		{"nothing_is_left", []chat.Event{grows("One"), changes("")}, "", []string{"One"}, "answer_rewritten"},
		{"only_at_the_end", nil, "All at once.", []string{"All at once."}, ""},
		{"half_a_character", []chat.Event{grows("caf\xc3"), grows("\xa9 \xf0\x9f\x98"), grows("\x80")}, "café 😀", []string{"caf", "é ", "😀"}, ""},
		{"tool_only", nil, "", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
				for _, e := range tt.events {
					tell(e)
				}
				return chat.Answer{Text: tt.text, Ref: "c1", Sent: true}, nil
			}, nil)
			a := s.do(t, http.MethodPost, completions, streamBody)
			if a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
				t.Fatalf("got %d, %v", a.status, a.header)
			}
			body := a.body
			var failure string
			if tt.error != "" {
				all := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
				var e struct {
					Error struct {
						Code string
						Text string `json:"final_text"`
					}
				}
				if err := json.Unmarshal([]byte(strings.TrimPrefix(all[len(all)-1], "data: ")), &e); err != nil {
					t.Fatal(err)
				}
				if e.Error.Text != tt.text {
					t.Errorf("final text %q", e.Error.Text)
				}
				failure = e.Error.Code
				body = strings.Join(all[:len(all)-1], "\n\n") + "\n\ndata: [DONE]\n\n"
			}
			var pieces []string
			for i, event := range events(t, body) {
				var chunk completion
				if err := json.Unmarshal([]byte(event), &chunk); err != nil {
					t.Fatal(err)
				}
				delta := chunk.Choices[0].Delta
				if (i == 0) != (delta.Role == "assistant") {
					t.Errorf("chunk %d has the role %q", i, delta.Role)
				}
				if i > 0 && delta.Content != nil {
					pieces = append(pieces, *delta.Content)
				}
			}
			if diff := cmp.Diff(tt.pieces, pieces); diff != "" || failure != tt.error {
				t.Errorf("error %q\n%s", failure, diff)
			}
		})
	}
}

// A stream without text says that it is alive, and an error is its last event
// then.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := run(t, func(ctx context.Context, _ chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return chat.Answer{}, trouble{code: "turn_failed"}
	}, nil, func(s *Server) { s.heartbeat = 5 * time.Millisecond })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+completions, strings.NewReader(streamBody))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	buffer := make([]byte, 4096)
	released := false
	for {
		n, err := response.Body.Read(buffer)
		text.Write(buffer[:n])
		if !released && strings.Count(text.String(), ": still at it\n\n") >= 2 {
			released = true
			close(release)
		}
		if err != nil {
			break
		}
	}
	if response.StatusCode != 200 || !strings.Contains(text.String(), `"code":"turn_failed"`) || strings.Contains(text.String(), "[DONE]") {
		t.Errorf("got %d: %s", response.StatusCode, text.String())
	}
}
