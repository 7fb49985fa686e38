package openai

import (
	"context"
	"encoding/json"
	"net/http"
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
