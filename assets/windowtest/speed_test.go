package windowtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// The budgets are a person's: from the click to the focused text box, and from a
// text at the server to the text on the screen, of which this is the page's part.
// A machine that has much else to do is forgiven some of it; the figures are
// logged.
const (
	focusBudget = 600 * time.Millisecond
	drawBudget  = 100 * time.Millisecond
	forgiven    = 3
)

func TestTextBoxHasTheFocusSoon(t *testing.T) {
	b, s := newBrowser(t), newStub(t)
	s.set("POST /enter", nil)
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "(function look() { document.activeElement?.id === 'prompt-text' ? window.focusedAt = Date.now() : requestAnimationFrame(look) })()",
	}); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for range 8 {
		b.do(navigate("about:blank"))
		start := time.Now()
		b.do(navigate(s.URL + "/boot#TICKET"))
		b.until("window.focusedAt")
		took = append(took, time.UnixMilli(int64(js[float64](b, "window.focusedAt"))).Sub(start))
	}
	median(t, "from the address to the focused text box", took[1:], focusBudget)
}

func TestTextIsDrawnSoon(t *testing.T) {
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Count")
	b.until("document.querySelector('.turn.runs')")
	s.ask("grows", object{"text": "It begins.\n\n"})
	b.shows(".answer", "It begins.")
	js[any](b, `new MutationObserver(() => {
		for (const m of document.querySelector('.answer').innerText.matchAll(/at (\d+)/g)) { window.seen[m[1]] ??= Date.now() }
	}).observe(document.querySelector('.answer'), {childList: true, subtree: true}); window.seen = {}; 0`)
	var took []time.Duration
	for range 30 {
		at := fmt.Sprint(time.Now().UnixMilli())
		s.ask("grows", object{"text": "A paragraph with `code` at " + at + "\n\n"})
		b.until("window.seen[" + at + "]")
		took = append(took, time.Duration(js[float64](b, "window.seen["+at+"] - "+at))*time.Millisecond)
	}
	median(t, "from an event at the server to its text on the page", took, drawBudget)
}

// TestLongAnswerKeepsThePageQuick streams 400 KB and uses the page meanwhile.
func TestLongAnswerKeepsThePageQuick(t *testing.T) {
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Much")
	b.until("document.querySelector('.turn.runs')")
	js[any](b, `new PerformanceObserver((l) => { window.worst = Math.max(window.worst ?? 0, ...l.getEntries().map((e) => e.duration)) }).observe({type: 'longtask'}); 0`)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for n := range 400 {
		s.ask("grows", object{"text": fmt.Sprintf("## Part %d\n\n%01000d\n\n", n, n)})
		if n%20 == 0 {
			if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("1")); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.shows(".answer", "Part 399")
	t.Logf("the longest task took %.0f ms", js[float64](b, "window.worst ?? 0"))
}

func median(t *testing.T, what string, took []time.Duration, budget time.Duration) {
	t.Helper()
	slices.Sort(took)
	middle := took[len(took)/2]
	t.Logf("%s: median %v, at most %v", what, middle, took[len(took)-1])
	if middle > forgiven*budget {
		t.Errorf("%s takes %v, more than %d times %v", what, middle, forgiven, budget)
	}
}
