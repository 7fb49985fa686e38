package windowtest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The models come again when the figures do, and are not asked for while those
// are in trouble.
func TestModelsComeWithTheFigures(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	tell := func(live bool, line string) {
		t.Helper()
		s.tell("usage", object{"plans": onePlan(items{object{"text": line, "under": "", "level": "note"}}), "live": live, "twelve_hour": false})
		b.shows(".left", line)
	}
	asked := func() int { return b.asked("/api/models") }
	b.openWithoutModels(s)
	before := asked()
	tell(false, "Windsurf is not signed in.")
	tell(false, "Windsurf is not running any more.")
	s.set("GET /api/models", object{"models": models(), "default": "swe-1-6"})
	tell(true, "453 of 500 left.")
	b.until("document.querySelector('.picker input').value === 'SWE-1.6' && !document.querySelector('.composer .told')")
	tell(true, "452 of 500 left.")
	tell(false, "Windsurf is not running.")
	tell(true, "451 of 500 left.")
	if got := asked() - before; got != 1 {
		t.Errorf("the models were asked for %d times after the trouble began, want once", got)
	}
}

// openWithoutModels opens a page that got no models and requests none by itself any
// more: it retries once when its stream comes, and that is over.
func (b *browser) openWithoutModels(s *stub) {
	b.t.Helper()
	const path, line = "/api/models", "Windsurf is not running."
	s.set("GET "+path, refusal{503, "not_running", "Start Windsurf and try again."})
	b.open(s)
	b.shows(".composer .told", "Start Windsurf and try again.")
	s.listened(b.t)
	s.tell("usage", object{"plans": onePlan(items{object{"text": line, "under": "", "level": "note"}}), "live": false, "twelve_hour": false})
	b.shows(".left", line)
	b.until("performance.getEntriesByType('resource').filter((x) => x.name.endsWith(" + quote(path) + ") && x.responseEnd > 0).length === " + strconv.Itoa(b.asked(path)))
	b.shows(".composer .told", "Start Windsurf and try again.")
}

// asked counts the page's requests for a path.
func (b *browser) asked(path string) (n int) {
	for _, address := range b.requests() {
		if strings.HasSuffix(address, path) {
			n++
		}
	}
	return n
}

func TestStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("kept while nobody answers")
	b.until("document.querySelector('.turn.runs')")
	s.set("GET /api/events", refusal{500, "broken", "Broken."})
	s.CloseClientConnections()
	b.shows(".link-told", "Windsock does not answer")
	s.mu.Lock()
	delete(s.answers, "GET /api/events")
	s.mu.Unlock()
	b.until("!document.querySelector('.link-told')")
	s.ask("done", answered)
	b.until("document.querySelector('.turn.done')")
	// A program that was started again knows nothing of the session.
	over := refusal{401, "ended", "Over."}
	s.set("GET /api/hello", over)
	s.set("GET /api/events", over)
	b.do(chromedp.KeyEvent("a draft"))
	s.CloseClientConnections()
	b.shows(".link-told", "session is over")
	if got := js[string](b, box); got != "a draft" {
		t.Errorf("the text box has %q", got)
	}
}
