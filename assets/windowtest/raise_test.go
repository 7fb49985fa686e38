package windowtest

import (
	"encoding/json"
	"maps"
	"testing"
	"time"
)

// raised is the page's answer when it is asked to come to the front.
type raised struct {
	Focused bool
	State   json.RawMessage
}

// raise asks the page to show a view, and waits for its answer.
func (b *browser) raise(s *stub, view string) (said raised) {
	b.t.Helper()
	s.set("POST /api/raised", nil)
	s.tell("view", object{"view": view})
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		s.mu.Lock()
		body, there := s.asked["POST /api/raised"]
		delete(s.asked, "POST /api/raised")
		s.mu.Unlock()
		switch {
		case there:
			if err := json.Unmarshal([]byte(body), &said); err != nil {
				b.t.Fatal(err)
			}
			return said
		case time.Now().After(deadline):
			b.t.Fatal("the page does not say whether it is in front")
		}
	}
}

// behind has the page think that others are in front of it, or that it is not to be
// seen at all, where it has no timers.
func (b *browser) behind(hidden bool) {
	b.t.Helper()
	js[any](b, "document.hasFocus = () => false; 0")
	if hidden {
		js[any](b, "Object.defineProperty(document, 'hidden', {value: true}); window.setTimeout = () => 0; 0")
	}
}

// page is the name of the page that has handed over.
func (r raised) page(t *testing.T) string {
	t.Helper()
	var state struct{ Page string }
	if err := json.Unmarshal(r.State, &state); err != nil || state.Page == "" {
		t.Fatalf("handed over %s: %v", r.State, err)
	}
	return state.Page
}

// A window that is requested again reports whether it is in front, with its state. Its
// successor continues with that state, and the window closes when the successor is
// there.
func TestRaise(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	s.listened(t)
	b.write("How do I close both?")
	b.until("document.querySelector('.turn.runs')")
	s.ask("done", answeredWith("With errors.Join."))
	b.shows(".answer", "errors.Join")
	b.behind(false)
	said := b.raise(s, "usage")
	b.until("document.querySelector('main section.usage')")
	js[any](b, "window.close = () => { window.closed2 = true }")
	s.tell("moved", object{"page": "another one"})
	s.tell("view", object{"view": "settings"}) // which comes behind it
	b.until("document.querySelector('main section.settings')")
	if js[bool](b, "Boolean(window.closed2)") {
		t.Error("the page goes where another one is told to")
	}
	s.tell("moved", object{"page": said.page(t)})
	b.until("window.closed2")

	s.mu.Lock()
	hello, _ := s.answers["GET /api/hello"].(object)
	next := maps.Clone(hello)
	next["state"] = said.State
	s.answers["GET /api/hello"] = next
	s.mu.Unlock()
	b.do(navigate("about:blank"))
	b.open(s)
	b.shows(".answer", "errors.Join")
	s.heard(t, "GET /api/events", "from="+said.page(t)+"&after=0")
}

// A page that is minimised answers at once: its timers would take a second or a
// minute.
func TestHiddenPageAnswersAtOnce(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	s.listened(t)
	b.behind(true)
	if said := b.raise(s, "prompt"); said.Focused || said.page(t) == "" {
		t.Errorf("said %+v", said)
	}
}

// A prompt whose id is not there yet is handed over with it.
func TestPromptIsHandedOverWithItsID(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	s.listened(t)
	held := make(chan struct{})
	s.mu.Lock()
	s.held["/api/ask"] = held
	s.mu.Unlock()
	b.behind(true)
	b.write("Is it on its way?")
	b.until("document.querySelector('.turn.runs')")
	s.tell("view", object{"view": "usage"})
	b.until("document.querySelector('main section.usage')")
	close(held)
	said := b.raise(s, "prompt")
	var state struct {
		Turns []struct{ ID, Prompt string }
	}
	if err := json.Unmarshal(said.State, &state); err != nil || len(state.Turns) != 1 || state.Turns[0].ID != "a1" {
		t.Errorf("handed over %s: %v", said.State, err)
	}
}
