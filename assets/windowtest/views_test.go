package windowtest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

func TestUsageHasTheFiguresInTables(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.view("usage")
	b.until("document.querySelector('.plot canvas')")
	js[any](b, "document.querySelector('.figures').open = true")
	rows := js[string](b, `[...document.querySelectorAll('.figures table')].map((t) => t.caption.innerText + ': ' + [...t.tBodies[0].rows].slice(0, 2).map((r) => r.cells[1].innerText).join(', ') + ' of ' + t.tBodies[0].rows.length).join('; ')`)
	if diff := cmp.Diff("Forecast: 360 credits used at the reset, 480 credits used at the reset of 3; Used over time: 272 credits, 272 credits of 17; Used each day: 10 credits, 24 credits of 17", rows); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	// The arrow keys read the same values as a mouse.
	js[any](b, "document.querySelector('.plot').focus()")
	b.key(kb.End)
	b.shows(".chart .read", "forecast 480 credits used, 8 times in 10 from 360 to 500 · 500 credits at an even pace")
	b.key(kb.Home)
	b.shows(".chart .read", "1 credit used · 0 credits at an even pace")
	js[any](b, "document.querySelector('.bars').focus()")
	b.key(kb.End)
	b.shows(".days .read", "3 Feb · 10 credits used")
	b.shows(".legend", "Resets 18 Feb 2026, 12:00 UTC")
	b.shows(".odds", "in 3 past windows")
	b.shows("[aria-roledescription=chart][aria-label*='in a high one all used by 13 Feb']", "")
	// Times are written as the settings have it, whatever the browser would do.
	js[any](b, "document.querySelector('.plot').focus()")
	b.key(kb.End)
	b.key(kb.ArrowLeft)
	b.shows(".chart .read", "13 Feb · forecast 411 credits used, 8 times in 10 from 331 to 500")
	b.key(kb.ArrowLeft)
	b.shows(".chart .read", "Tue 12:00")
	usage, _ := figures()["usage"].(object)
	usage["twelve_hour"] = true
	later, _ := figures()["GET /api/usage/chart"].(object)
	later["resets_on"] = "18 Feb 2026, 12:00 PM UTC"
	s.set("GET /api/usage/chart", later)
	s.tell("usage", usage)
	b.shows(".legend", "Resets 18 Feb 2026, 12:00 PM UTC")
	js[any](b, "document.querySelector('.plot').focus()")
	b.key(kb.End)
	b.key(kb.ArrowLeft)
	b.shows(".chart .read", "13 Feb · forecast 411 credits used, 8 times in 10 from 331 to 500")
	b.key(kb.ArrowLeft)
	b.shows(".chart .read", "Tue 12:00 PM")
	js[any](b, "document.querySelector('input[value=\"90d\"]').click()")
	// The cycle that the table is of is the chart's.
	b.until("document.querySelector('.aside a').getAttribute('href').endsWith('history.csv?plan=windsurf&meter=prompt_credits&range=90d')")
	s.heard(t, "GET /api/usage/chart", "range=90d")
	idle, _ := figures()["GET /api/usage/chart"].(object)
	idle["days"] = items{object{"day": "3 Feb", "used": 0, "words": "0 credits"}}
	idle["days_words"] = "No use was seen"
	s.set("GET /api/usage/chart", idle)
	js[any](b, "document.querySelector('input[value=\"7d\"]').click()")
	b.shows(".days .read", "No use was seen")
	b.until("!document.querySelector('.bars')") // which would be an empty box
	// The drawing stays when the program has gone.
	asked := "performance.getEntriesByType('resource').filter((r) => r.name.includes('/api/usage/chart')).length"
	before := js[int](b, asked)
	s.tell("over", object{"quit": true})
	b.shows(".link-told", "Windsock has ended.")
	js[any](b, "fetch('/api/models').then((answer) => answer.json())")
	if after := js[int](b, asked); after != before {
		t.Errorf("asked %d times for a chart that cannot come", after-before)
	}
}

// A view whose parts come late does not take the place of one chosen meanwhile.
func TestLateViewDoesNotIntrude(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	held := make(chan struct{})
	s.mu.Lock()
	s.held["/assets/views/usage.js"] = held
	s.mu.Unlock()
	b.open(s)
	b.press("Usage")
	b.view("settings")
	close(held)
	js[any](b, "import('/assets/views/usage.js').then(() => 0)")
	b.until("document.querySelector('nav [aria-current]').innerText === 'Settings'")
	b.view("usage") // and it is there once it is wanted
}

// Of several plans, the top has all of the leading one and a line of each other; the
// usage view has all, and draws the meter of any.
func TestSeveralPlans(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	line := func(meter, text string) object {
		return object{"meter": meter, "text": text, "under": "resets in 3h", "left": 50, "level": "plain"}
	}
	credit, daily := line("prompt_credits", "Prompt credits: 228 of 500 left (46 %)"), line("gemini_5h", "Gemini 5-hour: 50 % left")
	weekly := line("gemini_weekly", "Gemini weekly: 70 % left")
	plans := items{
		object{"name": "windsurf", "heading": "Windsurf · Pro", "lead": true, "short": credit, "lines": items{credit}},
		object{"name": "antigravity", "heading": "Antigravity · Pro", "lead": false, "short": daily, "lines": items{daily, weekly}},
	}
	s.set("GET /api/hello", object{"version": "1.0.0", "demo": false, "view": "prompt", "twelve_hour": false, "plans": plans})
	s.set("usage", object{"plans": plans, "live": true, "twelve_hour": false})
	of := func(name string) object {
		drawn := chart(noon.AddDate(0, 0, -16), noon.AddDate(0, 0, 15))
		drawn["plan"], drawn["meter"] = name, map[string]string{"windsurf": "prompt_credits", "antigravity": "gemini_weekly"}[name]
		drawn["plans"] = items{
			object{"name": "windsurf", "heading": "Windsurf · Pro", "meters": items{object{"id": "prompt_credits", "label": "Prompt credits", "unit": "credits"}}},
			object{"name": "antigravity", "heading": "Antigravity · Pro", "meters": items{object{"id": "gemini_weekly", "label": "Gemini weekly", "unit": "percent"}}},
		}
		return drawn
	}
	s.set("GET /api/usage/chart", of("windsurf"))
	b.open(s)
	b.shows(".left", "Windsurf · Pro\nPrompt credits: 228 of 500 left (46 %)\nresets in 3h\nAntigravity · Pro\nGemini 5-hour: 50 % left")
	b.view("usage")
	b.shows(".of-plan + .of-plan", "Gemini weekly: 70 % left")
	b.shows(".controls .faint", "of Windsurf · Pro")
	b.shows(".spend h2", "Where it went: Windsurf · Pro")
	s.set("GET /api/usage/chart", of("antigravity"))
	s.set("GET /api/usage/spend", object{"plan": "antigravity", "untold": "Antigravity does not tell what its plan was spent on."})
	js[any](b, "(() => { const list = document.querySelector('.controls select'); list.value = 'antigravity gemini_weekly'; list.dispatchEvent(new Event('change', { bubbles: true })); })()")
	b.until("document.querySelector('.aside a')?.href.includes('plan=antigravity&meter=gemini_weekly')")
	b.shows(".controls .faint", "of Antigravity · Pro")
	s.heard(t, "GET /api/usage/spend", "plan=antigravity&by=model&range=7d")
	b.shows(".spend", "Antigravity does not tell what its plan was spent on.")

	// A notification of a plan leads to that plan's chart, also where another is drawn.
	s.set("GET /api/usage/chart", of("windsurf"))
	b.raise(s, "usage#windsurf")
	b.shows(".controls .faint", "of Windsurf · Pro")
	s.heard(t, "GET /api/usage/chart", "plan=windsurf&range=cycle")
	s.set("GET /api/hello", object{"version": "1.0.0", "demo": false, "view": "usage#antigravity", "twelve_hour": false, "plans": plans})
	s.set("GET /api/usage/chart", of("antigravity"))
	b.open(s)
	b.shows(".controls .faint", "of Antigravity · Pro")
	s.heard(t, "GET /api/usage/spend", "plan=antigravity&by=model&range=7d")
	b.shows(".spend", "Antigravity does not tell what its plan was spent on.")
	s.heard(t, "GET /api/usage/chart", "plan=antigravity&range=cycle")
}

// Past windows are there on request, and over the present one alone.
func TestPastWindows(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.view("usage")
	b.until("document.querySelector('.plot canvas')")
	s.heard(t, "GET /api/usage/chart", "range=cycle")
	b.do(chromedp.Click(chromedp.CSS(".check input")))
	s.heard(t, "GET /api/usage/chart", "range=cycle&past=on")
	b.shows(".controls", "None has been seen yet.")
	s.pastWindows()
	s.tell("usage", figures()["usage"])
	b.shows(".legend", "Past windows")
	js[any](b, "document.querySelector('.plot').focus()")
	b.key(kb.End)
	b.shows(".chart .read", "past windows from 308 to 500 credits")
	js[any](b, "document.querySelector('.figures').open = true")
	b.shows(".figures", "18 Dec 2025, 12:00 UTC\t308 of 500 credits")
	js[any](b, "document.querySelector('input[value=\"90d\"]').click()")
	s.heard(t, "GET /api/usage/chart", "range=90d")
	b.until("!document.querySelector('.check')")
}

func TestUsageWithoutHistorySaysWhenThereIsSome(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("GET /api/usage/chart", object{
		"plans": items{}, "plan": "windsurf", "meter": "", "unit": "", "total": nil, "resets_on": "", "now": noon,
		"points": items{}, "even": items{}, "forecast": nil, "past": items{}, "resets": items{}, "last": items{}, "days": items{}, "words": "",
	})
	b.open(s)
	b.view("usage")
	b.shows(".empty", "There is no history of this time yet.")
}

func TestCascadesAreArchivedAndBroughtBack(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.view("cascades")
	first := "document.querySelector('.plan tbody th label')?.innerText"
	b.until(first + "?.startsWith('Refactor')")
	js[any](b, "document.querySelector('.sort').click()")
	b.until(first + ".startsWith('<img src=x') || " + first + " === 'Untitled'")
	js[any](b, "document.querySelector('.tick input').click()") // none
	b.until("document.querySelector('.bar-of .primary').disabled")
	js[any](b, "document.getElementById('c-c2').click(); document.getElementById('c-c6').click()")
	b.shows(".total", "2 of 6 chosen, 61 MB, and 1 of unknown size")
	b.press("Archive 2")
	b.until("document.querySelector('progress')")
	s.heard(t, "POST /api/clean/run", `{"ids":["c2","c6"],"older_than":"14d","keep":10}`)
	s.tell("clean", object{"kind": "progress", "done": 1, "total": 2})
	b.shows(".progress", "1 of 2")
	s.tell("clean", object{"kind": "done", "result": object{
		"words": "Archived 1 cascade.", "failed": items{object{"cascade_id": "c6", "title": "A cascade", "message": "The server refused."}},
	}})
	b.shows(".told.good", "Archived 1 cascade.")
	b.shows(".told.bad", "A cascade: The server refused.")
	b.press("Undo the last run (8 cascades")
	b.until("document.querySelector('progress')")
	s.tell("clean", object{"kind": "done", "result": object{"words": "1 cascade put back.", "failed": items{}}})
	b.shows(".told.good", "1 cascade put back.")
	b.shows(".kept", "42 archived already")
}

func TestSettingsAreCheckedAndSaved(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.view("settings")
	b.shows(".places", "Windsock 1.0.0")
	fill := func(key, text string) {
		js[any](b, "document.getElementById('key-"+key+"').focus(); document.getElementById('key-"+key+"').select()")
		b.do(chromedp.KeyEvent(text))
	}
	b.until("document.getElementById('key-alerts.thresholds')?.value === '20, 5'")
	// A value that is changed back is no change.
	fill("api.port", "42101")
	b.shows(".save .state", "One change not saved.")
	fill("api.port", "42100")
	b.shows(".save .state", "Everything is saved.")
	help := map[string]string{}
	for _, key := range []string{"usage.interval", "usage.variant", "usage.work_days", "alerts.thresholds", "alerts.acu", "chat.model"} {
		box := "document.getElementById('key-" + key + "')"
		help[key] = js[string](b, box+".parentElement.querySelector('.help').innerText + ' (' + ("+box+".placeholder ?? "+box+".innerText) + ')'")
	}
	if diff := cmp.Diff(map[string]string{
		"usage.interval":    "How often Windsock asks for the figures. It takes a time from 1m to 60m, such as 5m. ()",
		"usage.variant":     "Ask only this editor. Without one, all running editors are asked. (windsurf\nwindsurf-next\nwindsurf-insiders\nwindsurf-eu\nwindsurf-fed\nwindsurf-secure\nwindsurf-dev\nantigravity\nany of them)",
		"usage.work_days":   "The days on which you work. What is left has to last for these days. It takes two to six of mon, tue, wed, thu, fri, sat and sun in a list; leave it empty for every day. Default: every day. (every day)",
		"alerts.thresholds": "Warn when this many per cent are left. You are always told when a meter is used up. It takes a list of up to 8 whole numbers from 1 to 99, such as 20, 5; leave it empty for none. (none)",
		"alerts.acu":        "The same for ACUs. It takes a list like thresholds, 0 for none; leave it empty for the same ones. (the same ones)",
		"chat.model":        "The model to ask where none is named; without one, the editor's own choice. It takes a name as windsock models lists it; leave it empty for the editor's own choice. (the editor's own choice)",
	}, help); diff != "" {
		t.Errorf("help (-want +got):\n%s", diff)
	}
	s.set("POST /api/settings/check", object{"errors": object{
		"alerts.thresholds": "It takes a list of up to 8 whole numbers from 1 to 99, such as 20, 5; leave it empty for none.", "log.level": "The log is elsewhere.",
	}})
	fill("alerts.thresholds", "200")
	b.shows("#key-log\\.level-wrong", "The log is elsewhere.")
	b.shows("#key-alerts\\.thresholds-wrong", "It takes a list of up to 8 whole numbers from 1 to 99, such as 20, 5; leave it empty for none.")
	if got := b.text("#key-alerts\\.thresholds-help"); strings.Contains(got, "It takes") {
		t.Errorf("what it takes is told twice: %s", got)
	}
	b.until("document.querySelector('.save .primary').disabled")
	s.set("POST /api/settings/check", object{"errors": object{}})
	fill("alerts.thresholds", "30, 10")
	b.until("!document.querySelector('.wrong') && !document.querySelector('.save .primary').disabled")
	// Comments go only after a warning.
	s.set("POST /api/settings", refusal{409, "comments", "Comments."})
	b.press("Save")
	b.shows("[role=alertdialog]", "without your comments")
	s.set("POST /api/settings", object{})
	b.press("Save and lose")
	b.shows(".save .state", "Saved.")
	s.heard(t, "POST /api/settings", `{"values":{"alerts.thresholds":[30,10]},"lose_comments":true}`)
	b.press("Send a test")
	b.shows(".told", "A test notification")
	js[any](b, "document.getElementById('autostart').click()")
	s.heard(t, "POST /api/autostart", `{"on":true}`)
}

// What has become of the key for the prompt stands below its box, and follows.
func TestSettingsSayWhatBecameOfTheKey(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	s.listened(t)
	b.view("settings")
	b.until("document.querySelector('main section.settings form')")
	for _, failed := range []bool{true, false} {
		said := settings()
		said["shortcut"] = object{"text": "Another program has it.", "failed": failed}
		s.set("GET /api/settings", said)
		s.tell("settings", object{})
		b.until("[...document.querySelectorAll('fieldset .told')].some((x) => x.innerText === 'Another program has it.' && x.classList.contains('bad') === " + strconv.FormatBool(failed) + ")")
	}
}

// The result of a check that arrives after the save belongs to the old form.
func TestLateCheckIsLeftOut(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /api/settings/check", object{"errors": object{"api.port": "It takes a number."}})
	held := make(chan struct{})
	s.mu.Lock()
	s.held["/api/settings/check"] = held
	s.mu.Unlock()
	b.open(s)
	b.view("settings")
	b.until("document.getElementById('key-api.port')")
	b.do(chromedp.SendKeys(chromedp.CSS("#key-api\\.port"), "1"))
	for b.asked("/api/settings/check") == 0 {
		b.shows(".save .state", "One change not saved.")
	}
	b.press("Save")
	b.shows(".save .state", "Saved.")
	close(held)
	b.until("performance.getEntriesByType('resource').some((r) => r.name.endsWith('/check'))")
	js[any](b, "fetch('/api/models').then((answer) => answer.json())") // which comes after it
	if wrong := b.text(".wrong"); wrong != "" {
		t.Errorf("the saved form says %s", wrong)
	}
}

func TestBootTradesTheTicketIn(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /enter", refusal{403, "ticket", "Spent."})
	b.do(navigate(s.URL + "/boot#TICKET"))
	b.shows("#told", "used already")
	if got := js[string](b, "location.href"); got != s.URL+"/boot" {
		t.Errorf("the address is %s", got)
	}
	s.set("POST /enter", nil)
	b.do(navigate("about:blank"), navigate(s.URL+"/boot#TICKET"))
	b.until("document.querySelector('main section.prompt')")
	if got := js[int](b, "history.length"); got > 4 {
		t.Errorf("the history has %d entries", got)
	}
	b.do(navigate("about:blank"), navigate(s.URL+"/boot"))
	b.shows("#told", "opens with a ticket")
}
