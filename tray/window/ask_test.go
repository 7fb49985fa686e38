package window

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

// nobody is an id without a prompt.
const nobody = "no id"

// heard are the data of the stream's events up to one with a part.
func heard(t *testing.T, lines <-chan string, name, last, id string) []string {
	t.Helper()
	var all []string
	for {
		next(t, lines, "event: "+name)
		data := strings.TrimPrefix(next(t, lines, "data: "), "data: ")
		all = append(all, strings.ReplaceAll(data, id, "ID"))
		if strings.Contains(data, last) {
			return all
		}
	}
}

func (p *page) ask(t *testing.T, text string) (id string) {
	t.Helper()
	var answer struct{ ID string }
	got := p.do("POST", "/api/ask", `{"text":"`+text+`","model":"m"}`, nil)
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.status != 202 {
		t.Fatalf("%+v", got)
	}
	return answer.ID
}

func TestAsk(t *testing.T) {
	t.Parallel()
	credits := 1.5
	f := &fake{ask: func(_ context.Context, text, _ string, tell func(chat.Event)) (chat.Answer, error) {
		tell(chat.Event{Kind: chat.Works, Text: "view file…"})
		tell(chat.Event{Kind: chat.Grows, Text: "<b>"})
		tell(chat.Event{Kind: chat.Changes, Text: ""})
		a := chat.Answer{Text: "to " + text, Ref: "c", Sent: true, Duration: 1234 * time.Millisecond, Cost: chat.Cost{Credits: &credits}}
		if text == "fail" {
			return a, spoken{"busy", "Windsurf is busy."}
		}
		return a, nil
	}}
	p := enter(t, f, nil)
	lines, end := p.events("")
	next(t, lines, "usage")
	tests := []struct{ text, want string }{
		{"hi", `{"id":"ID","kind":"done","answer":{"text":"to hi","took":"1.2 s","left":"","tool_only":false,"open":false,"cost":"1.5 credits"}}`},
		{"fail", `{"id":"ID","kind":"failed","sentence":"Windsurf is busy.","answer":{"text":"to fail","took":"1.2 s","left":"","tool_only":false,"open":false,"cost":"1.5 credits"}}`},
	}
	for _, tt := range tests {
		id := p.ask(t, tt.text)
		want := []string{
			`{"id":"ID","kind":"works","words":"view file…"}`,
			`{"id":"ID","kind":"grows","text":"\u003cb\u003e"}`, `{"id":"ID","kind":"changes","text":""}`, tt.want,
		}
		if diff := cmp.Diff(want, heard(t, lines, "ask", `"answer"`, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
	end()
	again, endAgain := p.events("6") // sent before the stream broke off
	if got := heard(t, again, "ask", `"failed"`, nobody); len(got) != 2 {
		t.Errorf("after a break: %q", got)
	}
	endAgain()
	fresh, _ := p.events("")
	if got := heard(t, fresh, "ask", `"failed"`, nobody); len(got) != 8 {
		t.Errorf("of a page that was loaded again: %q", got)
	}
}

// Images come to the model as they are, and are refused by their bytes.
func TestAskWithImages(t *testing.T) {
	t.Parallel()
	asked := make(chan chat.Prompt, 1)
	f := &fake{further: func(_ context.Context, p chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
		asked <- p
		return chat.Answer{Text: "A cat.", Ref: "c", Sent: true}, nil
	}}
	p := enter(t, f, nil)
	gif := []byte("GIF89a")
	large := bytes.Repeat(gif, chat.MaxImage/len(gif)+1)
	body := func(files ...[]byte) string {
		text, err := json.Marshal(map[string]any{"text": "What is it?", "model": "m", "images": files})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, files := range [][][]byte{{gif}, {gif, large[:chat.MaxImage]}} {
		if got := p.do("POST", "/api/ask", body(files...), nil); got.status != 202 {
			t.Fatalf("%+v", got)
		}
		want := chat.Prompt{Text: "What is it?", Model: "m", Keep: true}
		got := <-asked
		for i, file := range files {
			if got.Images[i].Kind != "image/gif" || !bytes.Equal(got.Images[i].Data, file) {
				t.Errorf("image %d is a %s of %d bytes", i, got.Images[i].Kind, len(got.Images[i].Data))
			}
		}
		if len(got.Images) != len(files) {
			t.Errorf("%d images", len(got.Images))
		}
		got.Images = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for code, body := range map[string]string{
		"image_kind": body([]byte("GIF")), "image_too_large": body(large), "too_many_images": body(slices.Repeat([][]byte{gif}, chat.MaxImages+1)...),
		"bad_request": `{"text":"x","images":["!"]}`,
	} {
		if got := p.do("POST", "/api/ask", body, nil); got.code != code || got.status != 422 && got.status != 400 {
			t.Errorf("%s: %+v", code, got)
		}
	}
	if len(asked) > 0 {
		t.Error("a refused prompt was sent")
	}
}

func TestAskRefused(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	f := &fake{ask: func(ctx context.Context, _, _ string, _ func(chat.Event)) (chat.Answer, error) {
		select {
		case <-ctx.Done():
			return chat.Answer{}, fmt.Errorf("ask: %w", ctx.Err())
		case <-free:
			return chat.Answer{}, errors.New("secret: /home/somebody")
		}
	}}
	p := enter(t, f, nil)
	for body, want := range map[string]int{
		`{"text":" \n"}`: 422, `{"text":"` + strings.Repeat("x", chat.MaxPrompt+1) + `"}`: 422, `[]`: 400, ``: 400,
	} {
		if got := p.do("POST", "/api/ask", body, nil); got.status != want {
			t.Errorf("%.20s: %d", body, got.status)
		}
	}
	lines, _ := p.events("")
	var ids []string
	for range maxAsks {
		ids = append(ids, p.ask(t, "x"))
	}
	if got := p.do("POST", "/api/ask", `{"text":"one more"}`, nil); got.status != 429 || got.code != "busy" {
		t.Errorf("one more: %+v", got)
	}
	if got := p.do("POST", "/api/ask/"+ids[0]+"/cancel", "{}", nil); got.status != 204 {
		t.Errorf("cancelled: %+v", got)
	}
	want := []string{`{"id":"ID","kind":"failed","sentence":"Stopped.","answer":{"text":"","took":"","left":"","tool_only":false,"open":false,"cost":""}}`}
	if diff := cmp.Diff(want, heard(t, lines, "ask", "failed", ids[0])); diff != "" {
		t.Errorf("cancelled (-want +got):\n%s", diff)
	}
	if got := p.do("POST", "/api/ask/"+ids[0]+"/cancel", "{}", nil); got.status != 204 {
		t.Errorf("cancelled again: %+v", got)
	}
	close(free)
	if got := heard(t, lines, "ask", "failed", nobody); strings.Contains(got[0], "somebody") || !strings.Contains(got[0], `"sentence":"That did not work."`) {
		t.Errorf("an error without words: %q", got)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	two := 2.0
	f := &fake{models: Models{Default: "a", Last: "b", Engine: "cascade", Catalogue: chat.Catalogue{Models: []chat.Model{
		{UID: "a", Label: "A", CreditMultiplier: &two, Pricing: chat.PricingStaticCredit, New: true, MaxTokens: 200},
		{UID: "b", Label: "B", Pricing: chat.PricingUnknown, Disabled: true, Reason: "not in the plan"},
	}}}}
	p := enter(t, f, nil)
	want := `{"models":[{"uid":"a","label":"A","credit_multiplier":2,"pricing":"static_credit","new":true,"recommended":false,"default":true,"disabled":false,"disabled_reason":null,"images":false,"max_tokens":200,"price":"2×"},` +
		`{"uid":"b","label":"B","credit_multiplier":null,"pricing":"unknown","new":false,"recommended":false,"default":false,"disabled":true,"disabled_reason":"not in the plan","images":false,"max_tokens":null,"price":"unknown"}],"default":"a","last":"b","engine":"cascade","name":"","unlisted":false}`
	if diff := cmp.Diff(want, p.do("GET", "/api/models", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.gone = spoken{"not_running", "Windsurf is not running."}
	if got := p.do("GET", "/api/models", "", nil); got.status != 503 || got.code != "not_running" || !strings.Contains(got.body, "Windsurf is not running.") {
		t.Errorf("got %+v", got)
	}
}
