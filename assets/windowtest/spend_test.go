package windowtest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// spentText are the rows of the table, cells by tabs; an unknown figure reads as such.
const spentText = `[...document.querySelectorAll('.spent tr')].map((row) => [...row.cells].map((cell) => cell.innerText.replaceAll('\n', ' ').trim()).join('|')).join('\n')`

func TestSpendHasTheFigures(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.spend(s, spent(someModels()...))
	want := "Model|Credits|Prompts|per prompt|per day|Tokens in|cached|Tokens out\n" +
		"Claude Opus 4.7|180|20|9|36|4,100,210|3,004,000|150,400\n" +
		"Claude Sonnet 4.5 2 of 120 steps tell no cost|110|40|2.75|11|6,045,468|5,796,120|201,713\n" +
		"GPT-5.2 High|22.5|24|0.94|4.5|2,200,000|1,000,000|50,000\n" +
		"unknown 3 of 3 steps tell no cost|– not known|0|– not known|– not known|– not known|– not known|– not known\n" +
		"Total|312.5|84|3.72||12,345,678|9,800,120|402,113"
	if diff := cmp.Diff(want, js[string](b, spentText)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bars := js[string](b, `[...document.querySelectorAll('.spent tbody tr')].map((row) => row.querySelector('.share i')?.style.width ?? 'none').join(' | ')`)
	if want := "max(2px, 100%) | max(2px, 61.1%) | max(2px, 12.5%) | none"; bars != want {
		t.Errorf("bars %s, want %s", bars, want)
	}
	b.shows(".sums", "27.5 of them elsewhere: completions, another computer, the Devin web app.")
}

// A row narrows the report to it, with the keyboard as with the mouse, and the focus
// goes with it.
func TestSpendIsNarrowed(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.spend(s, spent(someModels()...))
	s.heard(t, "GET /api/usage/spend", "by=model&range=7d")
	s.set("GET /api/usage/spend", narrowed())
	js[any](b, "document.querySelector('.spent .link').focus()")
	b.key(kb.Enter)
	s.heard(t, "GET /api/usage/spend", "by=cascade&range=7d&model=claude-opus-4-7")
	b.until("document.activeElement?.innerText.includes('Model: Claude Opus 4.7')")
	b.shows(".spent", "Dockerfile")
	// What a title has in it is neither read as a page nor obeyed.
	b.shows(".spent", "<img src=x onerror=alert(1)> in a title ⟨U+202E⟩and more")
	b.until("document.querySelector('.spend a[download]').getAttribute('href') === '/api/usage/spend.csv?by=cascade&range=7d&model=claude-opus-4-7'")
	js[any](b, "document.querySelector('input[name=spend-range][value=\"90d\"]').click()")
	s.heard(t, "GET /api/usage/spend", "by=cascade&range=90d&model=claude-opus-4-7")
	js[any](b, "document.querySelectorAll('.spent tbody tr')[1].click()") // anywhere in the row
	s.heard(t, "GET /api/usage/spend", "by=day&range=90d&model=claude-opus-4-7&cascade=c2")
	b.until("document.activeElement?.innerText.includes('Cascade: <img')")
	// What the rows are of narrows them no more.
	js[any](b, "document.querySelector('input[name=spend-by][value=model]').click()")
	s.heard(t, "GET /api/usage/spend", "by=model&range=90d&cascade=c2")
	b.until("document.querySelectorAll('.chips li').length === 1")
	js[any](b, "document.querySelector('.chips button').focus()")
	b.key(kb.Enter)
	s.heard(t, "GET /api/usage/spend", "by=model&range=90d")
	b.until("!document.querySelector('.chips') && document.activeElement?.id === 'spend-title'")
}

// A row that is narrowed to in all ways leads nowhere.
func TestSpendIsNarrowedToTheEnd(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.spend(s, spent(someModels()[0]))
	for _, way := range []string{"Cascade", "Day", "Workspace"} {
		js[any](b, "document.querySelector('.spent .link').click()")
		b.until("document.querySelector('.spent th').innerText === '" + way + "'")
	}
	s.heard(t, "GET /api/usage/spend", "by=workspace&range=7d&model=claude-opus-4-7&cascade=claude-opus-4-7&day=claude-opus-4-7")
	b.until("document.querySelector('.spent tbody tr') && !document.querySelector('.spent .link')")
}

// A look at the view has what is new read; how far that is is told if it takes long,
// and its end brings the new figures.
func TestSpendFollowsAReading(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.spend(s, spent(someModels()...))
	s.heard(t, "POST /api/usage/spend/read", `{"plan":"windsurf"}`)
	s.listened(t)
	s.tell("spend", object{"plan": "windsurf", "reading": object{"done": 12, "total": 200}})
	b.shows(".spend .progress", "Reading what is new: 12 of 200")
	s.tell("spend", object{"plan": "windsurf", "reading": object{"done": 13, "total": 200}})
	b.shows(".spend .progress", "Reading what is new: 13 of 200")
	s.set("GET /api/usage/spend", spent(someModels()[2]))
	s.tell("spend", object{"plan": "windsurf", "reading": nil})
	b.until("document.querySelectorAll('.spent tbody tr').length === 1 && !document.querySelector('.spend .progress')")
	// A prompt that has ended has spent something.
	reads := b.asked("/api/usage/spend/read")
	s.tell("ask", object{"id": "of another page", "kind": "done"})
	b.until(fmt.Sprintf("performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/api/usage/spend/read')).length > %d", reads))
}

// Where another plan is being read, this one's turn comes after it, once.
func TestSpendWaitsForAReading(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /api/usage/spend/read", object{"plan": "windsurf:2"})
	b.open(s)
	b.spend(s, spent(someModels()...))
	reads := func(n int) string {
		return fmt.Sprintf("performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/api/usage/spend/read') && r.responseEnd > 0).length === %d", n)
	}
	s.listened(t)
	b.until("performance.getEntriesByType('resource').some((r) => r.name.endsWith('/api/usage/spend/read'))")
	before := b.asked("/api/usage/spend/read")
	s.set("POST /api/usage/spend/read", object{"plan": "windsurf"})
	s.tell("spend", object{"plan": "windsurf:2", "reading": nil})
	b.until(reads(before + 1))
	s.set("GET /api/usage/spend", spent(someModels()[2]))
	s.tell("spend", object{"plan": "windsurf", "reading": nil})
	b.until("document.querySelectorAll('.spent tbody tr').length === 1")
	js[any](b, "fetch('/api/models').then((answer) => answer.json())") // which comes after one that is under way
	if got := b.asked("/api/usage/spend/read"); got != before+1 {
		t.Errorf("read %d times after its turn", got-before-1)
	}
}

// What is kept is there while something is wrong, and can be tried again.
func TestSpendWithoutAnEditor(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	old := spent(someModels()...)
	old["problem"] = "Showing figures of 09:05 (Windsurf is not running)"
	b.open(s)
	b.spend(s, old)
	b.shows(".spend .told.warn", "Showing figures of 09:05")
	b.shows(".spent", "Claude Opus 4.7")
	s.set("POST /api/usage/spend/read", refusal{503, "ended", "This window is about to close."})
	js[any](b, "document.querySelector('.spend .told.warn button').click()")
	b.shows(".spend .told.bad", "This window is about to close.")
	s.set("GET /api/usage/spend", refusal{503, "damaged", "The history is damaged."})
	js[any](b, "document.querySelector('.spend .told.bad button').click()")
	b.shows(".spend .told.bad", "The history is damaged.")
	b.shows(".spent", "Claude Opus 4.7")
}

// The chart does not wait for what was spent.
func TestSpendKeepsNothingWaiting(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	held := make(chan struct{})
	s.mu.Lock()
	s.held["/api/usage/spend"] = held
	s.mu.Unlock()
	b.open(s)
	b.view("usage")
	b.until("document.querySelector('.plot canvas') && document.querySelector('.figures') && !document.querySelector('.spent')")
	close(held)
	b.shows(".spent", "Claude Opus 4.7")
}

// Another product's plan has none of it, and says so.
func TestSpendOfAnotherProduct(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("GET /api/usage/spend", object{"plan": "cursor", "untold": "Cursor does not tell what its plan was spent on."})
	b.open(s)
	b.view("usage")
	b.shows(".spend .told", "Cursor does not tell what its plan was spent on.")
	if b.asked("/api/usage/spend/read") != 0 || js[bool](b, "Boolean(document.querySelector('.spend .choice'))") {
		t.Error("it is read, or can be chosen")
	}
}

func TestManyRowsOfSpend(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	rows := items{}
	for n := range 45 {
		rows = append(rows, spendRow(fmt.Sprint("c", n), fmt.Sprint("Cascade ", n), 1, "", "1", "1", "1", "1", "1", "1", "1"))
	}
	b.open(s)
	b.spend(s, spent(rows...))
	count := "document.querySelectorAll('.spent tbody tr').length"
	b.until(count + " === 20")
	b.press("Show all 45")
	b.until(count + " === 45")
}
