package windowtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"windsock/probe/probetest"
)

func navigate(address string) chromedp.Action[chromedp.Void] { return chromedp.Navigate(address) }

// write types into the text box and sends it.
func (b *browser) write(text string) {
	b.t.Helper()
	b.until("document.activeElement?.id === 'prompt-text' && document.querySelector('.picker input').value !== ''")
	js[any](b, "document.getElementById('prompt-text').select()") // a prompt without any answer is there again
	b.do(chromedp.KeyEvent(text))
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

const markdown = "Use `errors.Join` to keep **both** errors:\n\n```go\n// close releases the file and tells of both errors.\nfunc (s *store) close() error {\n\tif s.file == nil {\n\t\treturn nil\n\t}\n\treturn errors.Join(s.flush(), s.file.Close())\n}\n```\n\n" +
	"1. `flush` comes first, so that nothing is lost\n2. [the documentation](https://pkg.go.dev/errors#Join) says more\n\n| call | when |\n|---|---:|\n| `Join` | 1.20 |\n| `AsType` | 1.26 |\n\n> It returns `nil` when both are."

var answered = object{"answer": object{
	"text": markdown, "took": "3.2 s", "left": "", "tool_only": false,
	"cost": "2 credits",
}}

// looks brings each view into the state that has the most to see.
var looks = []struct {
	name string
	show func(b *browser, s *stub)
}{
	{"prompt", func(b *browser, s *stub) {
		b.write("How do I return both errors from a close method?")
		b.until("document.querySelector('.turn.runs')")
		s.ask("done", answered)
		b.until("document.querySelector('.hljs-keyword')")
	}},
	{"written_out", func(b *browser, s *stub) {
		b.answer(s, "Only admins get **past\u202e this\u2066 line**:\n\n```go\nif admin\u202e \u2066{ // begin admins only\u2069 \u2066\n```\n\n"+strings.Repeat(">", 100)+" is too deep.")
		b.until("document.querySelector('.hljs-keyword') && document.querySelector('.answer .plain')")
	}},
	{"further", func(b *browser, s *stub) {
		b.write("How do I return both errors from a close method?")
		b.until("document.querySelector('.turn.runs')")
		s.ask("done", open("Use `errors.Join` to keep **both** errors."))
		b.furtherKeys("And when one of them is nil?")
		s.ask("done", open("It is left out. When all are `nil`, so is the result."))
		b.shows(".further", "It is left out.") // nothing can be sent before
		b.furtherKeys("Since which version?")
		s.ask("failed", object{"sentence": "The plan has nothing left for this model.", "answer": object{"text": "", "took": "", "left": "", "tool_only": false, "open": true, "cost": ""}})
		b.shows(".further:nth-of-type(2) .told", "nothing left")
		js[any](b, "document.querySelector('.further-box').scrollIntoView(false)")
	}},
	{"models", func(b *browser, _ *stub) {
		b.do(chromedp.Click(chromedp.CSS(".picker input")))
		b.shows(".picker ul", "Penguin")
	}},
	{"failed", func(b *browser, s *stub) {
		b.write("Is there anything left?")
		b.until("document.querySelector('.turn.runs')")
		s.ask("failed", object{"sentence": "The plan has nothing left for this model. Choose a model that costs less, or wait for the reset."})
		b.shows(".turn .told", "nothing left")
	}},
	{"offer", func(b *browser, s *stub) {
		b.write("Can you still answer?")
		b.until("document.querySelector('.turn.runs')")
		s.ask("failed", offered)
		b.shows(".offer", "no wall")
	}},
	{"agent", func(b *browser, s *stub) {
		s.set("GET /api/models", agentUnlisted)
		b.until("document.querySelector('.picker input').value !== ''")
		s.listened(b.t)
		s.tell("settings", object{})
		b.shows(".engine", "Devin's agent")
		s.set("GET /api/models", agentListed)
		b.do(chromedp.SendKeys(chromedp.CSS("#prompt-text"), "How do I return both errors from a close method?"))
		b.key(kb.Enter, chromedp.ModifierCtrl)
		b.until("document.querySelector('.turn.runs')")
		s.ask("done", agentAnswered)
		b.until("document.querySelector('.hljs-keyword') && document.querySelector('.picker input').value === 'SWE-1.6'")
	}},
	{"usage", func(b *browser, _ *stub) {
		b.size(900, 990)
		b.view("usage")
		b.until("document.querySelector('.plot canvas')")
	}},
	{"past_windows", func(b *browser, s *stub) {
		b.size(900, 990)
		b.view("usage")
		s.pastWindows()
		b.do(chromedp.Click(chromedp.CSS(".check input")))
		b.shows(".legend", "Past windows")
		js[any](b, "document.querySelector('.figures').open = true")
	}},
	{"spend", func(b *browser, s *stub) { b.spend(s, spent(someModels()...)) }},
	{"spend_one", func(b *browser, s *stub) {
		one := spent(someModels()[0])
		one["words"] = items{"By the meter, 180 prompt credits were used in this time, as the cascades tell."}
		one["total"] = someModels()[0].(object)["cells"]
		b.spend(s, one)
	}},
	{"spend_fifteen", func(b *browser, s *stub) { b.spend(s, fifteenModels()) }},
	{"spend_nothing", func(b *browser, s *stub) {
		nothing := spent()
		nothing["rows"], nothing["words"], nothing["empty"] = items{}, items{}, "No cascade had a prompt or a cost in this time."
		b.spend(s, nothing)
	}},
	{"spend_no_editor", func(b *browser, s *stub) {
		old := spent(someModels()...)
		old["problem"] = "Showing figures of 09:05 (Windsurf is not running)"
		b.spend(s, old)
	}},
	{"spend_left_out", func(b *browser, s *stub) {
		some := spent(someModels()...)
		some["notes"] = items{
			"Turns are running; their 2 cascades are left for later.",
			"The cascade “Write a Dockerfile for the API” could not be read: Windsurf took too long to answer. Try again in a moment.",
		}
		b.spend(s, some)
	}},
	{"spend_first_reading", func(b *browser, s *stub) {
		first := spent(someModels()...)
		first["reading"] = object{"done": 31, "total": 200}
		b.spend(s, first)
		b.shows(".spend .progress", "31 of 200")
	}},
	{"spend_narrowed", func(b *browser, s *stub) {
		b.spend(s, spent(someModels()...))
		s.set("GET /api/usage/spend", narrowed())
		b.press("Claude Opus 4.7")
		b.shows(".chips", "Claude Opus 4.7")
		b.shows(".spent", "Dockerfile")
	}},
	{"cascades", func(b *browser, _ *stub) {
		b.view("cascades")
		b.shows("table.plan", "Dockerfile")
	}},
	{"settings", func(b *browser, s *stub) {
		b.view("settings")
		s.set("POST /api/settings/check", object{"errors": object{"usage.interval": "It takes a time from 1m to 60m, such as 5m."}})
		b.do(chromedp.SendKeys(chromedp.CSS("#key-usage\\.interval"), "0"))
		b.shows(".wrong", "60m")
	}},
	{"consent", func(b *browser, s *stub) {
		b.size(900, 1500)
		s.listened(b.t)
		s.tell("view", object{"view": "settings#cloud"})
		b.focused("consent-title")
	}},
	{"consent_host", func(b *browser, s *stub) {
		b.size(900, 1000)
		all, _ := signIns()["sign_ins"].(items)
		s.set("GET /api/cloud", object{"sign_ins": all[2:3]})
		wording := signIn("devin-cli", "Devin CLI", "~/.local/share/devin/credentials.toml", "eu.windsurf.com", nil)["wording"]
		s.set("POST /api/cloud/offer", object{"host": "eu.windsurf.com", "wording": wording})
		b.view("settings")
		b.until("document.querySelector('" + devinBox + "')")
		js[any](b, "document.querySelector('"+devinBox+"').click()")
		b.focused("cloud-devin-cli-question")
	}},
}

// TestLooks goes through the views in both schemes: nothing is wrong by axe-core's
// rules, nothing is wider than the window, and pictures are kept for a person to
// look at.
func TestLooks(t *testing.T) {
	b := newBrowser(t)
	for _, look := range looks {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(look.name+"_"+scheme, func(t *testing.T) {
				b.t = t
				s := newStub(t)
				b.scheme(scheme)
				b.size(900, 760)
				b.open(s)
				look.show(b, s)
				b.keep(look.name + "-" + scheme)
				for _, violation := range b.axe() {
					t.Errorf("axe-core: %s", violation)
				}
				for _, width := range []int64{360, 320} {
					b.size(width, 760)
					if over := js[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
						t.Errorf("at %d px the page is %d px too wide", width, over)
					}
					if width == 360 {
						if strings.HasPrefix(look.name, "spend") {
							b.toSpend()
						}
						b.keep(look.name + "-" + scheme + "-360")
					}
				}
			})
		}
	}
}

// axeCore is the test's own copy of axe-core, which is no part of the program.
var axeCore = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pack := exec.Command("npm", "pack", "--silent", "--prefer-offline", "--ignore-scripts", "axe-core@4.14.1")
	pack.Dir = dir
	if err := pack.Run(); err != nil {
		return "", err
	}
	unpack := exec.Command("tar", "-xzf", "axe-core-4.14.1.tgz", "package/axe.min.js")
	unpack.Dir = dir
	if err := unpack.Run(); err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(dir, "package", "axe.min.js"))
	return string(source), err
})

// axe is what axe-core calls serious or critical, with the elements.
func (b *browser) axe() []string {
	b.t.Helper()
	probetest.NeedTools(b.t, "npm")
	source, err := axeCore()
	if err != nil {
		b.t.Fatalf("get axe-core: %v", err)
	}
	js[any](b, source+";0")
	found := js[string](b, `axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations
		.filter((v) => v.impact === 'serious' || v.impact === 'critical')
		.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join(' | '))))`)
	var list []string
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		b.t.Fatalf("read %s: %v", strings.TrimSpace(found), err)
	}
	return list
}
