package window

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

// TestOfferIsTold: where Cascade is off, the failure has the agent's words with it, and
// no other failure has.
func TestOfferIsTold(t *testing.T) {
	t.Parallel()
	f := &fake{
		offer: &AgentOffer{Engine: "devin", Name: "Devin's agent", Words: []string{"It is an agent."}},
		ask: func(_ context.Context, text, _ string, _ func(chat.Event)) (chat.Answer, error) {
			return chat.Answer{}, &chat.Failure{Code: chat.Code(text), App: "Devin Desktop", Says: "No"}
		},
	}
	p := enter(t, f, nil)
	lines, end := p.events("")
	defer end()
	next(t, lines, "usage")
	const answer = `"answer":{"text":"","took":"","left":"","tool_only":false,"open":false,"cost":""}`
	for code, want := range map[string]string{
		"cascade_off": `{"id":"ID","kind":"failed","sentence":"No. The figures of your plan are not affected.",` + answer +
			`,"offer":{"engine":"devin","name":"Devin's agent","words":["It is an agent."]}}`,
		"busy": `{"id":"ID","kind":"failed","sentence":"No. Try again in a moment.",` + answer + `}`,
	} {
		id := p.ask(t, code)
		if diff := cmp.Diff([]string{want}, heard(t, lines, "ask", `"failed"`, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
}

func TestAnswerOfAnAgent(t *testing.T) {
	t.Parallel()
	f := &fake{ask: func(context.Context, string, string, func(chat.Event)) (chat.Answer, error) {
		return chat.Answer{
			Text: "Hi.", Engine: "devin", Ref: "s", Left: chat.LeftForGood, Duration: 2 * time.Second,
			Tokens: &chat.Tokens{Input: 13622, Output: 40},
		}, nil
	}}
	p := enter(t, f, nil)
	lines, end := p.events("")
	defer end()
	next(t, lines, "usage")
	want := []string{`{"id":"ID","kind":"done","answer":{"text":"Hi.","took":"2.0 s","left":"left in the agent's own list",` +
		`"tool_only":false,"open":false,"cost":"13,622 tokens in, 40 out · cost not told","by":"devin"}}`}
	if diff := cmp.Diff(want, heard(t, lines, "ask", `"done"`, p.ask(t, "hi"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEngineIsChosen: the page's choice is kept, and an agent is started for its models
// only if the page says so.
func TestEngineIsChosen(t *testing.T) {
	t.Parallel()
	f := &fake{models: Models{Engine: "devin", Name: "Devin's agent", Unlisted: true}}
	p := enter(t, f, nil)
	for body, want := range map[string]int{`{"engine":"clippy"}`: 422, `{}`: 422, `[]`: 400} {
		if got := p.do("POST", "/api/engine", body, nil); got.status != want || f.engine != "" {
			t.Errorf("%s: %d, %q", body, got.status, f.engine)
		}
	}
	if got := p.do("POST", "/api/engine", `{"engine":"devin"}`, nil); got.status != 200 || f.engine != "devin" {
		t.Errorf("%+v, %q", got, f.engine)
	}
	f.fails = spoken{"comments", "Set it yourself."}
	if got := p.do("POST", "/api/engine", `{"engine":"cascade"}`, nil); got.status != 500 || got.code != "comments" {
		t.Errorf("%+v", got)
	}
	const unlisted = `{"models":[],"default":"","last":"","engine":"devin","name":"Devin's agent","unlisted":true}`
	if got := p.do("GET", "/api/models", "", nil); got.body != unlisted || f.started {
		t.Errorf("%s, started %v", got.body, f.started)
	}
	if p.do("GET", "/api/models?start=1", "", nil); !f.started {
		t.Error("the agent was not started")
	}
}
