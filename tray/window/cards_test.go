package window

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/probetest"
)

// conversations is an engine's.
type conversations struct {
	mu    sync.Mutex
	count int
	open  map[string][]string // the prompts, by ref
}

// keep makes a fake keep conversations. A prompt "wait" waits for its cancel, "gone" ends
// its conversation, and "unknown" comes to no engine.
func (f *fake) keep() *conversations {
	c := &conversations{open: map[string][]string{}}
	f.further = c.ask
	f.end = func(_ context.Context, ref string) chat.Leftover {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, ref)
		if strings.HasSuffix(ref, "2") {
			return chat.LeftForNow
		}
		return chat.NothingLeft
	}
	return c
}

func (c *conversations) ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	c.mu.Lock()
	ref := p.Further
	if ref == "" {
		c.count++
		ref = "c" + strconv.Itoa(c.count)
	}
	c.open[ref] = append(c.open[ref], p.Text)
	c.mu.Unlock()
	if !p.Keep {
		panic("a prompt of the window that is not kept")
	}
	answer := chat.Answer{Text: p.Text, Ref: ref, Sent: true, Left: chat.LeftOpen}
	switch p.Text {
	case "wait":
		tell(chat.Event{Kind: chat.Grows, Text: "half"})
		<-ctx.Done()
		return answer, ctx.Err()
	case "gone":
		answer.Left = chat.LeftForNow
		return answer, &chat.Failure{Code: chat.ConversationGone}
	case "unknown":
		return chat.Answer{}, spoken{"not_running", "Windsurf is not running."}
	}
	return answer, nil
}

func (c *conversations) refs() (refs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ref := range c.open {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return refs
}

func (p *page) further(t *testing.T, card, text string) (id string) {
	t.Helper()
	var answer struct{ ID string }
	got := p.do("POST", "/api/ask", `{"text":"`+text+`","model":"m","further":"`+card+`"}`, nil)
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.status != 202 {
		t.Fatalf("%+v", got)
	}
	return answer.ID
}

// A card goes on in its conversation until that is closed. Whether it is open stands with
// each answer, also with a failed one.
func TestFurther(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := f.keep()
	p := enter(t, f, nil)
	lines, _ := p.events("")
	first := p.ask(t, "one")
	heard(t, lines, "ask", `"open":true`, first)
	heard(t, lines, "ask", `"open":true`, p.further(t, first, "two"))
	heard(t, lines, "ask", `"sentence":"Windsurf is not running.","answer":{"text":"","took":"","left":"","tool_only":false,"open":true`, p.further(t, first, "unknown"))
	waits := p.further(t, first, "wait")
	heard(t, lines, "ask", "half", waits)
	if got := p.do("POST", "/api/ask", `{"text":"x","further":"`+first+`"}`, nil); got.status != 409 || got.code != "busy" {
		t.Errorf("beside another one: %+v", got)
	}
	p.do("POST", "/api/ask/"+waits+"/cancel", "{}", nil)
	heard(t, lines, "ask", `"sentence":"Stopped.","answer":{"text":"wait","took":"","left":"","tool_only":false,"open":true`, waits)

	other := p.ask(t, "other") // c2
	heard(t, lines, "ask", `"open":true`, other)
	heard(t, lines, "ask", `"left":"not archived yet","tool_only":false,"open":false`, p.further(t, other, "gone"))
	if got := p.do("POST", "/api/ask", `{"text":"x","further":"`+other+`"}`, nil); got.status != 409 || got.code != "conversation_gone" || !strings.Contains(got.body, "Ask anew.") {
		t.Errorf("a conversation that is gone: %+v", got)
	}

	if got := p.do("POST", "/api/ask/"+first+"/close", "{}", nil); got.status != 204 {
		t.Errorf("close: %+v", got)
	}
	want := []string{`{"id":"ID","kind":"closed","left":""}`}
	if diff := gocmp.Diff(want, heard(t, lines, "ask", "closed", first)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.do("POST", "/api/ask", `{"text":"x","further":"`+first+`"}`, nil); got.code != "conversation_gone" {
		t.Errorf("a closed one: %+v", got)
	}
	if got := p.do("POST", "/api/ask/"+first+"/close", "{}", nil); got.status != 204 {
		t.Errorf("close again: %+v", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := gocmp.Diff(map[string][]string{"c2": {"other", "gone"}}, c.open); diff != "" { // the engine has ended that
		t.Errorf("open (-want +got):\n%s", diff)
	}
}

// A card that is closed while it answers stops that first.
func TestCloseWhileItAnswers(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := f.keep()
	p := enter(t, f, nil)
	lines, _ := p.events("")
	id := p.ask(t, "one")
	heard(t, lines, "ask", `"open":true`, id)
	waits := p.further(t, id, "wait")
	heard(t, lines, "ask", "half", waits)
	p.do("POST", "/api/ask/"+id+"/close", "{}", nil)
	got := append(heard(t, lines, "ask", "", id), heard(t, lines, "ask", "", id)...)
	if all := strings.Join(got, " "); !strings.Contains(all, "closed") || !strings.Contains(all, "Stopped.") || len(c.refs()) > 0 {
		t.Errorf("%s; open %v", all, c.refs())
	}
}

// One conversation too many closes the oldest.
func TestOpenLimit(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := f.keep()
	p := enter(t, f, nil)
	lines, _ := p.events("")
	var ids []string
	for range maxOpen + 1 {
		ids = append(ids, p.ask(t, "x"))
		heard(t, lines, "ask", `"open":true`, ids[len(ids)-1])
	}
	want := []string{`{"id":"ID","kind":"closed","words":"This conversation is closed, since 8 are open at most.","left":""}`}
	if diff := gocmp.Diff(want, heard(t, lines, "ask", "closed", ids[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	heard(t, lines, "ask", `"open":true`, p.ask(t, "x"))
	want[0] = strings.Replace(want[0], `"left":""`, `"left":"not archived yet"`, 1)
	if diff := gocmp.Diff(want, heard(t, lines, "ask", "closed", ids[1])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"}, c.refs()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
}

// The end of the window ends all conversations, also one with a prompt under way; a page
// that goes on where another one was ends none, and a blank page all that are idle.
func TestWindowEndsConversations(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := f.keep()
	p := enter(t, f, nil)
	lines, end := p.events("")
	heard(t, lines, "ask", `"open":true`, p.ask(t, "one"))
	nobody := func() bool {
		p.window.mu.Lock()
		defer p.window.mu.Unlock()
		return p.window.served.streams == 0
	}
	end()
	probetest.Eventually(t, "the page is gone", nobody)
	lines, end = p.stream("?from=p&after=1", "")
	next(t, lines, "usage")
	if refs := c.refs(); len(refs) != 1 {
		t.Errorf("after a page that goes on: %v", refs)
	}
	end()
	probetest.Eventually(t, "the page is gone", nobody)
	lines, _ = p.stream("", "")
	probetest.Eventually(t, "the first one is closed", func() bool { return len(c.refs()) == 0 })
	for _, text := range []string{"one", "two"} {
		heard(t, lines, "ask", `"open":true`, p.ask(t, text))
	}
	heard(t, lines, "ask", "half", p.ask(t, "wait"))
	p.window.mu.Lock()
	s := p.window.served
	p.window.mu.Unlock()
	s.close()
	<-s.ended
	if refs := c.refs(); len(refs) > 0 {
		t.Errorf("open in the end: %v", refs)
	}
}
