package window

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"windsock/chat"
)

// again wishes for a view and answers for the page, once asked, if there is an answer.
func (p *page) again(t *testing.T, lines <-chan string, answers ...string) {
	t.Helper()
	shown := make(chan error, 1)
	go func() { shown <- p.window.Show(context.WithoutCancel(t.Context()), Prompt) }()
	next(t, lines, `{"view":"prompt"}`)
	for _, answer := range answers {
		p.raised(t, answer, http.StatusNoContent)
	}
	if err := <-shown; err != nil {
		t.Error(err)
	}
}

func (p *page) raised(t *testing.T, answer string, want int) {
	t.Helper()
	if got := p.do("POST", "/api/raised", answer, nil); got.status != want {
		t.Errorf("answered %.40s: %+v", answer, got)
	}
}

// handed is the state that the next page gets.
func (p *page) handed(t *testing.T) string {
	t.Helper()
	_, state, _ := strings.Cut(p.do("GET", "/api/hello", "", nil).body, `"state":`)
	return strings.TrimSuffix(state, "}")
}

const draft = `{"focused":false,"state":{"page":"one","draft":"half a thought"}}`

// Only the page that has the state may send the other page away.
func TestNothingIsLostInAMove(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// move answers for the page, and opens the successor. It returns the state that
		// the successor got.
		move  func(t *testing.T, p *page, lines <-chan string) string
		want  string
		moved bool // the page is told to go
	}{
		{"in_time", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines, draft)
			got := p.handed(t)
			p.stream("?from=one&after=0", "")
			return got
		}, `{"page":"one","draft":"half a thought"}`, true},
		{"late", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines)
			p.raised(t, draft, http.StatusNoContent)
			got := p.handed(t)
			p.stream("?from=one&after=0", "")
			return got
		}, `{"page":"one","draft":"half a thought"}`, true},
		{"too_late", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines)
			got := p.handed(t)
			p.events("")
			p.raised(t, draft, http.StatusNoContent)
			return got + p.handed(t) // which would be an old one
		}, "", false},
		{"between_the_successor_s_steps", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines)
			got := p.handed(t)
			p.raised(t, draft, http.StatusNoContent)
			p.events("")
			return got + p.handed(t)
		}, "", false},
		{"never", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines)
			got := p.handed(t)
			p.events("")
			return got
		}, "", false},
		{"never_the_second_time", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines, draft) // and no browser comes
			p.again(t, lines)
			got := p.handed(t)
			p.events("")
			return got
		}, "", false},
		{"too_large", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines)
			p.raised(t, `{"focused":false,"state":"`+strings.Repeat("x", maxHanded)+`"}`, http.StatusRequestEntityTooLarge)
			got := p.handed(t)
			p.events("")
			return got
		}, "", false},
		{"large", func(t *testing.T, p *page, lines <-chan string) string {
			t.Helper()
			p.again(t, lines, `{"focused":false,"state":"`+strings.Repeat("x", 5<<20)+`"}`)
			got := p.handed(t)
			p.stream("?from=one&after=0", "")
			return got
		}, `"` + strings.Repeat("x", 5<<20) + `"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := enter(t, &fake{}, func(w *Window) {
				w.times.raise = 50 * time.Millisecond
				w.times.open = 0 // a browser that has not come does not count
			})
			lines, _ := p.events("")
			next(t, lines, "usage")
			if got := tt.move(t, p, lines); got != tt.want {
				t.Errorf("handed over: %.80q, want %.80q", got, tt.want)
			}
			p.window.Reread() // so that an event follows all others
			moved := false
			for line := ""; line != "event: settings"; line = next(t, lines, "") {
				moved = moved || line == "event: moved"
			}
			if moved != tt.moved {
				t.Errorf("the page is told to go: %t", moved)
			}
		})
	}
}

// Of several pages, one in front is enough, whichever answers first.
func TestRaiseOfSeveralPages(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, func(w *Window) { w.times.raise = patience })
	lines, _ := p.events("")
	other, _ := p.events("")
	next(t, other, "usage")
	p.again(t, lines, draft, `{"focused":true}`)
	if len(p.opened) != 1 || p.handed(t) != "" {
		t.Errorf("opened %q, handed over %s", p.opened, p.handed(t))
	}
	p.again(t, lines, draft, draft)
	if len(p.opened) != 2 || p.handed(t) == "" {
		t.Errorf("no page in front: opened %q, handed over %s", p.opened, p.handed(t))
	}
}

// A page that goes on where another one is hears what that one has not.
func TestSuccessorHearsTheRest(t *testing.T) {
	t.Parallel()
	on := make(chan struct{})
	f := &fake{ask: func(_ context.Context, _, _ string, tell func(chat.Event)) (chat.Answer, error) {
		tell(chat.Event{Kind: chat.Grows, Text: "one"})
		<-on
		tell(chat.Event{Kind: chat.Grows, Text: "two"})
		return chat.Answer{}, nil
	}}
	p := enter(t, f, nil)
	lines, _ := p.events("")
	id := p.ask(t, "hi")
	number := strings.TrimPrefix(next(t, lines, "id: "), "id: ")
	next(t, lines, `"one"`)
	p.window.Reread()
	next(t, lines, "settings")
	close(on)
	next(t, lines, `"done"`)
	successor, _ := p.stream("?from=one&after="+number, "")
	if got := heard(t, successor, "", `"done"`, id); len(got) != 2 || !strings.Contains(got[0], `"two"`) {
		t.Errorf("heard %q", got)
	}
}
