package windowtest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer has a text as the whole answer to a prompt.
func (b *browser) answer(s *stub, text string) {
	b.t.Helper()
	b.write("Go on")
	b.until("document.querySelector('.turn.runs')")
	s.ask("done", answeredWith(text))
	b.until("!document.querySelector('.turn.runs')")
}

// answeredWith is the event at the end of an answer.
func answeredWith(text string) object {
	whole, _ := answered["answer"].(object)
	answer := maps.Clone(whole)
	answer["text"] = text
	return object{"answer": answer}
}

// An answer that would overflow the parser, or keep it busy, is shown as it was
// written where it would, and hides nothing of what stands around it.
func TestHostileAnswerIsShown(t *testing.T) {
	t.Parallel()
	nested := func(length int) string {
		var list strings.Builder
		for depth := 0; list.Len() < length; depth++ {
			list.WriteString(strings.Repeat("  ", depth) + "- deep\n")
		}
		return list.String()
	}
	const columns = 4000
	tests := []struct {
		name, text, starts string
		never              string // the parser's result
	}{
		{"quotes", strings.Repeat(">", 4000), ">>>>", "blockquote"},
		{"lists", strings.Repeat("- ", 4000) + "a", "- - - ", "li"},
		{"quotes_that_do_not_overflow", strings.Repeat(">", 100), ">>>>", "blockquote"},
		{"long_list", strings.Repeat("- "+strings.Repeat("a", 100)+"\n", 400), "- aaa", "li"},
		{"emphasis", strings.Repeat("**a", 50_000), "**a**a**a", "strong"},
		{"emphasis_in_a_line", strings.Repeat("*a_", 2600), "*a_*a_", "em"},
		{"nested_list", nested(2_000_000), "- deep\n  - deep", "li"},
		{"table", strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("b\n", 900), "|a|a|a", "table"},
		{"headings", strings.Repeat("a\n-\n", 4000), "a\n-\na\n-", "h2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, s := newBrowser(t), newStub(t)
			b.open(s)
			b.answer(s, "**Before** it.\n\n"+tt.text+"\n\nBehind it.")
			b.until("document.querySelector('.answer')?.textContent.includes('Behind it.')")
			if got := js[string](b, "document.querySelector('.answer strong')?.innerText ?? ''"); got != "Before" {
				t.Errorf("what stands before it is %q", got)
			}
			if got := js[string](b, "[...document.querySelectorAll('.answer > div')][1].textContent"); !strings.Contains(got, tt.starts) {
				t.Errorf("it is shown as %.40q", got)
			}
			made := "[...document.querySelectorAll('.answer " + tt.never + "')].filter((x) => x.innerText !== 'Before').length"
			if got := js[int](b, made); got != 0 {
				t.Errorf("%d elements <%s> were made", got, tt.never)
			}
			b.view("usage") // the page has time for something else
		})
	}
}

// Code that would keep the highlighter busy is shown without colours.
func TestLongCodeIsPlain(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.answer(s, "```ini\na = 1\n```\n\n```ini\n"+strings.Repeat("a.", 30_000)+"\n```\n")
	b.until("document.querySelectorAll('.code').length === 2 && document.querySelector('.code [class^=hljs]')")
	if got := js[string](b, "[...document.querySelectorAll('.code code')].map((x) => x.childElementCount > 0).join()"); got != "true,false" {
		t.Errorf("coloured: %s", got)
	}
}

// An overlong text is shown as plain text, complete, in pieces.
func TestEndlessAnswerIsShownAsText(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	paragraph := "A paragraph that is *told* of.\n\n"
	text := strings.Repeat(paragraph, 5000) + "🧵" + strings.Repeat("🧵x", 40_000) + "\n\n*The end.*"
	b.answer(s, text)
	b.until("document.querySelector('.answer')?.textContent.endsWith('*The end.*')")
	b.shows(".answer .told", "very long answer")
	got := js[map[string]int](b, `({
		read: document.querySelectorAll('.answer p em').length,
		notes: document.querySelectorAll('.answer .told').length,
		threads: document.querySelector('.answer').textContent.split('🧵').length - 1,
		longest: Math.max(...[...document.querySelectorAll('.answer .plain')].map((x) => x.textContent.length)),
	})`)
	if diff := cmp.Diff(map[string]int{"read": 4000, "notes": 1, "threads": 40_001, "longest": 16_000}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// counted is a marked that counts the letters it is given.
const counted = `export * from './marked.esm.js?real';
import { Lexer as Real } from './marked.esm.js?real';
window.lexed = 0;
export class Lexer extends Real {
	lex(text) { window.lexed += text.length; return super.lex(text); }
}`

// Of a growing text only the new part is parsed, and a long text is not drawn at once.
func TestGrowingAnswerIsReadOnce(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.files["vendor/marked/marked.esm.js"] = counted
	b.open(s)
	b.write("Count")
	b.until("document.querySelector('.turn.runs')")
	length := 0
	const events = 30
	for n := range events { // each drawn by itself
		part := fmt.Sprintf("Part %d", n)
		text := "A paragraph of " + part + ".\n\n- a list\n\n- of two\n\n"
		length += len(text)
		s.ask("grows", object{"text": text})
		b.shows(".answer", part)
	}
	if got := js[int](b, "window.lexed"); got < length || got > 3*length {
		t.Errorf("%d letters were read for %d", got, length)
	}
	s.ask("done", answered)
	b.until("document.querySelector('.turn.done')")
	b.write("Much")
	b.until("document.querySelector('.turn.runs')")
	js[any](b, "performance.clearMarks(); 0")
	s.ask("done", answeredWith(strings.Repeat("A `part` of it.\n\n", 3900)))
	b.until("document.querySelectorAll('.answer > div').length >= 3900")
	if got := js[int](b, "performance.getEntriesByType('mark').length"); got < 2 {
		t.Error("a long answer was drawn at once")
	}
}

// An address may stand behind the links that name it.
func TestReferencesAreFound(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.write("Where?")
	b.until("document.querySelector('.turn.runs')")
	s.ask("grows", object{"text": "[There] it is.\n\nAnd no link.\n\n"})
	b.shows(".answer", "And no link.")
	js[any](b, "document.querySelector('.answer > div:nth-child(2)').kept = true")
	text := "[There] it is.\n\nAnd no link.\n\n[there]: https://example.com/there\n"
	s.ask("done", answeredWith(text))
	b.until("document.querySelector('.answer .link')?.dataset.address === 'https://example.com/there'")
	if !js[bool](b, "document.querySelector('.answer > div:nth-child(2)').kept") {
		t.Error("what has no link was drawn again")
	}
}

// rawMarked and rawHighlighter let everything through, as if they had a mistake.
const (
	rawMarked = `export * from './marked.esm.js?real';
import { Marked as Real } from './marked.esm.js?real';
export class Marked extends Real {
	parser(tokens) { return tokens.map((x) => (x.type === 'code' ? '<pre><code class="language-go">' + x.text.replaceAll('<', '&lt;') + '</code></pre>' : x.raw)).join(''); }
}`
	rawHighlighter = `export default { highlight: (value) => ({ value }), getLanguage: () => true, registerLanguage() {} };`
)

// HTML that gets as far as the last step is not in the page behind it.
func TestSanitizerTakesHTMLOut(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.files["vendor/marked/marked.esm.js"] = rawMarked
	s.files["vendor/highlightjs/core.min.js"] = rawHighlighter
	b.open(s)
	const html = `<img src="http://198.51.100.7/a.png" onerror="window.hit = 'img'"><svg onload="window.hit = 'svg'"></svg><i>Before</i>
<a href="javascript:window.hit='link'">run</a> <a href="https://198.51.100.7/">raw</a> <iframe src="http://198.51.100.7/"></iframe>
<form action="http://198.51.100.7/"><input name=x autofocus onfocus="window.hit = 'focus'"></form><style>body{display:none}</style>
<b onclick="window.hit='b'" style="position:fixed" id="page" data-x="1">Behind it.</b><math><mtext><table><mglyph><style><img src=x onerror=hit=1>`
	b.answer(s, html+"\n\n```go\n"+html+"\n```\n")
	b.until("document.querySelectorAll('.answer').length === 1 && document.querySelector('.answer').textContent.split('Behind it.').length === 3")
	b.until("document.querySelector('.code code').textContent.includes('Behind it.') && !document.querySelector('.code code').textContent.includes('<')")
	got := js[string](b, `JSON.stringify({
		hit: window.hit ?? null,
		elements: [...new Set([...document.querySelectorAll('.answer *')].map((e) => e.localName))].sort(),
		attributes: [...new Set([...document.querySelectorAll('.answer > div > *, .answer code *')].flatMap((e) => [...e.attributes].map((a) => a.name)))].sort(),
	})`)
	want := `{"hit":null,"elements":["button","code","div","pre","span"],"attributes":["class"]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is in the page (-want +got):\n%s", diff)
	}
	for _, address := range b.requests() {
		if !strings.HasPrefix(address, s.URL+"/") {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// Characters that reverse a text, or hide in it, are shown and have no effect; a copy
// has the model's text.
func TestHiddenCharactersAreShown(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	const (
		hidden = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
		code   = "if admin\u202e \u2066{ // only\u2069 \u2066\n"
		joined = "می\u200cخواهم 👩\u200d💻" // which has to stay
	)
	text := "All: " + hidden + "\n\n**a\u202eb** " + joined + " [li\u200bnk](https://example.com/)\n\n```go\n" + code + "```\n\n```\u202enone\nx\u202ey\n```\n\n" +
		strings.Repeat(">", 4000) + "\u202e\n"
	b.answer(s, text)
	b.until("document.querySelector('.answer .hljs-keyword') && document.querySelector('.answer .plain')")
	shown := js[string](b, "document.querySelector('.answer').textContent")
	if strings.ContainsAny(shown, hidden) {
		t.Errorf("some are in the page: %q", shown)
	}
	const all = "⟨U+061C⟩⟨U+200B⟩⟨U+200E⟩⟨U+200F⟩⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩⟨U+202D⟩⟨U+202E⟩⟨U+2060⟩⟨U+2061⟩⟨U+2062⟩⟨U+2063⟩⟨U+2064⟩⟨U+2066⟩⟨U+2067⟩⟨U+2068⟩⟨U+2069⟩⟨U+FEFF⟩"
	for _, want := range []string{
		"All: " + all, "a⟨U+202E⟩b " + joined + " li⟨U+200B⟩nk", "if admin⟨U+202E⟩ ⟨U+2066⟩{ // only⟨U+2069⟩ ⟨U+2066⟩\n", "⟨U+202E⟩none", "x⟨U+202E⟩y", ">⟨U+202E⟩",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %.300q", want, shown)
		}
	}
	if marked := js[string](b, "document.querySelector('.answer .hidden-mark').textContent"); marked != all {
		t.Errorf("marked: %q", marked)
	}
	js[any](b, "navigator.clipboard.writeText = async (text) => { window.copied = text }; 0")
	b.press("Copy")
	b.until("window.copied")
	if got := js[string](b, "window.copied"); got != code {
		t.Errorf("the code is copied as %q", got)
	}
	js[any](b, "window.copied = ''; 0")
	b.press("Copy answer")
	b.until("window.copied")
	if got := js[string](b, "window.copied"); got != text {
		t.Errorf("the answer is copied as %q", got)
	}
	b.keep("hidden-characters")
}
