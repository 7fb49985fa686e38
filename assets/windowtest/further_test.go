package windowtest

import (
	"maps"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// open is an answer whose conversation goes on.
func open(text string) object {
	whole, _ := answeredWith(text)["answer"].(object)
	whole["open"] = true
	return object{"answer": whole}
}

const furtherBox = "document.querySelector('.further-box textarea')"

// furtherKeys puts a further prompt into a card's box and sends it by keys alone.
func (b *browser) furtherKeys(text string) {
	b.t.Helper()
	b.until(furtherBox + " && (" + furtherBox + ".focus(), document.activeElement === " + furtherBox + ")")
	b.do(chromedp.KeyEvent(text))
	b.key(kb.Enter, chromedp.ModifierCtrl)
}

// A card goes on below its answer while its conversation is open, and says when that is
// closed.
func TestAskFurther(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Which errors?")
	b.until("document.querySelector('.turn.runs')")
	if js[bool](b, "Boolean("+furtherBox+")") {
		t.Error("a conversation is open before its first answer")
	}
	s.ask("done", open("Both."))
	b.shows(".turn .foot", "3.2 s · 2 credits")

	b.furtherKeys("And then?")
	s.heard(t, "POST /api/ask", `{"text":"And then?","model":"claude-opus-4-5","further":"a1"}`)
	b.shows(".further .foot", "Asking Claude Opus 4.5")
	b.shows(".prompt > [role=status]", "Asking Claude Opus 4.5.")
	s.ask("grows", object{"text": "Nothing **more"})
	s.ask("done", open("Nothing **more**."))
	b.until("document.querySelector('.further .answer strong')?.innerText === 'more'")
	b.shows(".further .foot", "Claude Opus 4.5 · 3.2 s · 2 credits")
	b.until("document.querySelectorAll('.turn').length === 1 && document.querySelector('.turn .answer').innerText === 'Both.'")

	// One that fails is given back to its own box while the conversation is open.
	b.furtherKeys("What costs that?")
	s.ask("failed", object{"sentence": "The plan has nothing left.", "answer": object{"text": "", "took": "", "left": "", "tool_only": false, "open": true, "cost": ""}})
	b.shows(".further:nth-of-type(2) .told", "nothing left")
	b.until(furtherBox + ".value === 'What costs that?' && " + box + " === ''")

	js[any](b, "document.getElementById('prompt-text').focus()")
	// It stands below another prompt, which begins anew.
	b.write("Something else")
	s.heard(t, "POST /api/ask", `{"text":"Something else","model":"claude-opus-4-5"}`)
	s.ask("done", answeredWith("Alone."))
	b.until("document.querySelectorAll('.turn').length === 2 && document.querySelectorAll('.further-box').length === 1")
	js[any](b, "document.querySelectorAll('.turn details')[1].open = true")
	b.press("Close")
	s.heard(t, "POST /api/ask/a1/close", "{}")
	b.shows(".further-box", "Closing…")
	s.tell("ask", object{"id": "a1", "kind": "closed", "left": "not archived yet"})
	b.shows(".turn .closed", "This conversation is closed. It is not archived yet.")
	b.until("!" + furtherBox)
}

// A conversation that the program has closed, or that went with the editor, says so.
func TestConversationIsGone(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	ask := func(text string) {
		t.Helper()
		b.write(text)
		b.until("document.querySelector('.turn.runs')")
		s.ask("done", open("Yes."))
		b.until(furtherBox)
	}
	ask("one")
	s.tell("ask", object{"id": "a1", "kind": "closed", "words": "This conversation is closed, since 8 are open at most.", "left": ""})
	b.shows(".turn .closed", "since 8 are open at most.")
	b.until("!" + furtherBox)
	ask("two")
	b.furtherKeys("on?")
	s.ask("failed", object{"sentence": "The conversation is gone. Ask anew.", "answer": object{"text": "", "took": "", "left": "not archived yet", "tool_only": false, "open": false, "cost": ""}})
	b.shows(".further .told", "The conversation is gone. Ask anew.")
	b.shows(".turn .closed", "This conversation is closed.")
	b.until(box + " === 'on?'")
	ask("three")
	s.set("POST /api/ask", refusal{409, "conversation_gone", "The conversation is gone. Ask anew."})
	b.furtherKeys("on?")
	b.shows(".further .told", "The conversation is gone. Ask anew.")
	b.until("!" + furtherBox)
}

// A page that goes on where another one was has its conversations, with what runs in
// them.
func TestFurtherIsHandedOver(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	s.listened(t)
	b.write("Which errors?")
	b.until("document.querySelector('.turn.runs')")
	s.ask("done", open("Both."))
	b.furtherKeys("And then?")
	b.until("document.querySelector('.further.runs')")
	b.behind(false)
	said := b.raise(s, "prompt")
	s.mu.Lock()
	hello, _ := s.answers["GET /api/hello"].(object)
	next := maps.Clone(hello)
	next["state"] = said.State
	s.answers["GET /api/hello"] = next
	s.mu.Unlock()
	b.do(navigate("about:blank"))
	b.open(s)
	b.until("document.querySelector('.further.runs') && document.querySelector('.turn .answer')?.innerText === 'Both.'")
	s.listened(t)
	s.ask("done", open("Nothing."))
	b.shows(".further .answer", "Nothing.")
	b.furtherKeys("And after that?")
	s.heard(t, "POST /api/ask", `{"text":"And after that?","model":"claude-opus-4-5","further":"a1"}`)
}
