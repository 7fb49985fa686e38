package windowtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A person's waiting times are measured (packaging/budgets.sh has the budgets), not
// tested, since they depend on the machine's other work. work_test.go tests what makes
// them short.

// BenchmarkFocus takes the time from the click to the focused text box.
func BenchmarkFocus(b *testing.B) {
	window, s := newBrowser(b), newStub(b)
	s.set("POST /enter", nil)
	if _, err := chromedp.Call(window.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "(function look() { document.activeElement?.id === 'prompt-text' ? window.focusedAt = Date.now() : requestAnimationFrame(look) })()",
	}); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		window.do(navigate("about:blank"))
		start := time.Now()
		window.do(navigate(s.URL + "/boot#TICKET"))
		window.until("window.focusedAt")
		took = append(took, time.UnixMilli(int64(js[float64](window, "window.focusedAt"))).Sub(start))
	}
	median(b, took)
}

// BenchmarkDraw takes the page's part of the time from a text at the language
// server to the text on the screen.
func BenchmarkDraw(b *testing.B) {
	window, s := newBrowser(b), newStub(b)
	window.open(s)
	window.write("Count")
	window.until("document.querySelector('.turn.runs')")
	s.ask("grows", object{"text": "It begins.\n\n"})
	window.shows(".answer", "It begins.")
	js[any](window, `new MutationObserver(() => {
		for (const m of document.querySelector('.answer').innerText.matchAll(/at (\d+)/g)) { window.seen[m[1]] ??= Date.now() }
	}).observe(document.querySelector('.answer'), {childList: true, subtree: true}); window.seen = {}; 0`)
	var took []time.Duration
	for b.Loop() {
		at := fmt.Sprint(time.Now().UnixMilli())
		s.ask("grows", object{"text": "A paragraph with `code` at " + at + "\n\n"})
		window.until("window.seen[" + at + "]")
		took = append(took, time.Duration(js[float64](window, "window.seen["+at+"] - "+at))*time.Millisecond)
	}
	median(b, took)
}

func median(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms")
}
