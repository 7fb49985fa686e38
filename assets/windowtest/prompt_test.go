package windowtest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// key presses a key with modifiers.
func (b *browser) key(name string, with ...chromedp.Modifier) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(name, chromedp.KeyModifiers(with...)))
}

const (
	focused = "(document.activeElement?.id ?? '')"
	box     = "document.getElementById('prompt-text').value"
)

func TestPromptIsAskedAndAnswered(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("How are both errors kept?")
	b.shows(".turn .foot", "Asking Claude Opus 4.5")
	s.heard(t, "POST /api/ask", `{"text":"How are both errors kept?","model":"claude-opus-4-5"}`)
	s.ask("works", object{"step": "CORTEX_STEP_TYPE_VIEW_FILE", "words": "view file…"})
	b.shows(".turn .foot", "view file…")
	s.ask("grows", object{"text": "A first paragraph.\n\nAnd **half a"})
	b.shows(".answer", "half a")
	js[any](b, "document.querySelector('.answer > div').kept = true")
	s.ask("grows", object{"text": " word** that ends."})
	b.until("document.querySelector('.answer strong')?.innerText === 'half a word'")
	if !js[bool](b, "document.querySelector('.answer > div').kept") {
		t.Error("a paragraph that did not change was drawn again")
	}
	s.ask("changes", object{"text": "It was written anew."})
	b.until("document.querySelector('.answer').innerText.trim() === 'It was written anew.'")
	s.ask("done", answered)
	b.shows(".turn .foot", "Claude Opus 4.5 · 3.2 s · 2 credits")
	b.shows(".prompt > [role=status]", "The answer is complete, 3.2 s, 2 credits.")
	b.until("document.querySelector('.hljs-keyword')?.innerText === 'func'")
	if got := js[string](b, "document.querySelector('.code code').textContent"); !strings.HasPrefix(got, "// close releases") || !strings.Contains(got, "\treturn errors.Join(") {
		t.Errorf("code that is copied is %q", got)
	}
}

func TestPromptKeys(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.until(focused + " === 'prompt-text'")
	for _, prompt := range []string{"the first", "the second"} {
		b.write(prompt)
		b.until("document.querySelector('.turn.runs')")
		s.ask("done", answered)
		b.until("!document.querySelector('.turn.runs')")
	}
	b.do(chromedp.KeyEvent("a draft"))
	for _, step := range []struct{ key, want string }{
		{kb.ArrowUp, "the second"},
		{kb.ArrowUp, "the first"},
		{kb.ArrowUp, "the first"},
		{kb.ArrowDown, "the second"},
		{kb.ArrowDown, "a draft"},
	} {
		b.key(step.key)
		b.until(box + " === " + quote(step.want))
	}
	// Escape closes the list of models and leaves the answer alone; the next one stops it.
	b.key(kb.Enter, chromedp.ModifierCtrl)
	b.until("document.querySelector('.turn.runs')")
	b.key(kb.Tab)
	b.key(kb.ArrowDown)
	b.until("!document.querySelector('.picker ul').hidden")
	b.key(kb.Escape)
	b.until("document.querySelector('.picker ul').hidden && document.querySelector('.turn.runs') && !document.querySelector('.stop').disabled")
	b.key(kb.Escape)
	b.shows(".turn .foot", "Stopping")
	s.ask("failed", object{"sentence": "Stopped.", "answer": answered["answer"]})
	b.shows(".turn .foot", "Claude Opus 4.5 · stopped · 3.2 s · 2 credits")
	for i, view := range []string{"usage", "cascades", "settings", "prompt"} {
		b.key("2341"[i:i+1], chromedp.ModifierAlt)
		b.until("document.querySelector('main section." + view + "')")
	}
	b.until(focused + " === 'prompt-text'")
}

func TestModelIsPickedByTyping(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	option := "document.getElementById(document.querySelector('.picker input').getAttribute('aria-activedescendant'))?.innerText.split('\\n')[0]"
	b.until(focused + " === 'prompt-text' && document.querySelector('.picker input').value === 'Claude Opus 4.5'")
	b.key(kb.Tab)
	b.do(chromedp.KeyEvent("5.2"))
	b.until(option + " === 'GPT-5.2 High'")
	b.key(kb.ArrowDown)
	b.until(option + " === 'GPT-5.2 Low'")
	b.key(kb.Enter)
	b.until("document.querySelector('.picker input').value === 'GPT-5.2 Low' && " + focused + " === 'prompt-text'")
	// A disabled model says why, and cannot be chosen.
	b.key(kb.Tab)
	b.do(chromedp.KeyEvent("opus 4.7"))
	b.shows(".picker li", "Retired. Take Claude Opus 4.5.")
	b.key(kb.ArrowDown)
	b.key(kb.Enter)
	b.key(kb.Escape)
	b.until("document.querySelector('.picker input').value === 'GPT-5.2 Low'")
	b.do(chromedp.Reload())
	b.until("document.querySelector('.picker input')?.value === 'GPT-5.2 Low'")
	// The next window has another port, and another store; the server knows.
	if got := js[string](b, "JSON.stringify(localStorage)"); got != `{"windsock.model":"gpt-5-2-low"}` {
		t.Errorf("the browser keeps %s", got)
	}
}

// hostile is an answer that tries everything.
const hostile = `<script>window.hit = 'script'</script>

<img src="http://198.51.100.7/a.png" onerror="window.hit = 'img'"> and <svg onload="window.hit = 'svg'"></svg>

![a picture](http://198.51.100.7/b.png) [run](javascript:window.hit='link') [data](data:text/html,<script>1</script>)

[a page](https://example.com/secret?q=1) <a href="https://198.51.100.7/">raw</a> <iframe src="http://198.51.100.7/"></iframe>

<form action="http://198.51.100.7/"><input name=x autofocus onfocus="window.hit = 'focus'"></form> <style>body{display:none}</style>

` + "```\"><img/src=x/onerror=window.hit='fence'>\nx\n```\n\n```xml\n<img src=x onerror=window.hit='code'>\n```\n\n" +
	`| <b onclick="window.hit='b'">cell</b> |
|---|
| ![c](http://198.51.100.7/c.png) |

<kbd><img src=x onerror=window.hit='kbd' //

**Is there to the end.**`

func TestAnswerIsInert(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("<img src=x onerror=\"window.hit = 'prompt'\"> is my prompt")
	b.until("document.querySelector('.turn.runs')")
	for _, part := range strings.SplitAfter(hostile, "\n") {
		s.ask("grows", object{"text": part})
	}
	b.shows(".answer", "Is there to the end.")
	b.until("document.querySelectorAll('.code').length === 2")
	b.shows(".answer", "<script>window.hit = 'script'</script>")
	b.shows(".answer", "<kbd><img src=x onerror=window.hit='kbd' //")
	got := js[string](b, `JSON.stringify({
		hit: window.hit ?? null,
		elements: [...new Set([...document.querySelectorAll('.turn *')].map((e) => e.localName))].filter((n) => /script|img|svg|iframe|form|input|style|^a$/.test(n)),
		handlers: [...document.querySelectorAll('.turn *')].flatMap((e) => [...e.attributes].map((a) => a.name)).filter((n) => n.startsWith('on') || n === 'href' || n === 'src' || n === 'style'),
		links: [...document.querySelectorAll('[data-address]')].map((e) => e.dataset.address),
	})`)
	want := `{"hit":null,"elements":[],"handlers":[],"links":["http://198.51.100.7/b.png","https://example.com/secret?q=1","http://198.51.100.7/c.png"]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the answer left in the page (-want +got):\n%s", diff)
	}
	for _, address := range b.requests() {
		if !strings.HasPrefix(address, s.URL+"/") {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// A link's target is opened only when a person follows the link.
func TestLinkOpensWhenItIsFollowed(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Where is it?")
	b.until("document.querySelector('.turn.runs')")
	js[any](b, "window.opened = []; window.open = (...how) => { window.opened.push(how.join(' ')) }")
	s.ask("done", answeredWith("[There](https://example.com/there)"))
	b.until("document.querySelector('.answer .link')")
	js[any](b, "document.querySelector('.answer .link').focus()")
	if got := js[int](b, "window.opened.length"); got != 0 {
		t.Errorf("%d pages were opened before anybody followed the link", got)
	}
	b.key(kb.Enter)
	b.do(chromedp.Click(chromedp.CSS(".answer .link")))
	const want = "https://example.com/there _blank noopener,noreferrer"
	if diff := cmp.Diff(want+"; "+want, js[string](b, "window.opened.join('; ')")); diff != "" {
		t.Errorf("what was opened (-want +got):\n%s", diff)
	}
}

func TestFailuresAreSentences(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.openWithoutModels(s)
	s.set("GET /api/models", object{"models": models(), "default": "swe-1-6"})
	b.press("Try again")
	b.until("document.querySelector('.picker input').value === 'SWE-1.6'")
	s.set("POST /api/ask", refusal{429, "busy", "Several answers are under way."})
	b.write("kept where it was not taken")
	b.shows(".turn .told", "Several answers are under way.")
	b.until(box + " === 'kept where it was not taken'")
	// A tool-only turn has an answer without text.
	s.set("POST /api/ask", object{"id": "a1"})
	b.key(kb.Enter, chromedp.ModifierCtrl)
	b.until("document.querySelector('.turn.runs')")
	s.ask("done", object{"answer": object{"text": "", "took": "0.9 s", "left": "not archived yet", "tool_only": true, "cost": "cost not told"}})
	b.shows(".turn .told", "its tools alone")
	b.shows(".turn .foot", "cost not told · not archived yet")
}

func TestAskAgainWithAnotherModel(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Once more")
	b.until("document.querySelector('.turn.runs')")
	s.ask("done", answered)
	b.press("Ask again with…")
	b.until("document.querySelector('.turn .picker input') === document.activeElement")
	b.do(chromedp.KeyEvent("penguin"))
	b.key(kb.Enter)
	b.until("document.querySelectorAll('.turn').length === 2")
	s.heard(t, "POST /api/ask", `{"text":"Once more","model":"MODEL_PRIVATE_3"}`)
}
