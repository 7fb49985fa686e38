package windowtest

import (
	"maps"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// signIn is one that is off and on this computer, but for what more says.
func signIn(name, app, file, host string, more object) object {
	to := host
	if to == "" {
		to = "the host that stands there, which you are shown first"
	}
	made := object{
		"name": name, "app": app, "file": file, "host": host, "there": true, "allowed": false, "state": "off", "failed": "", "last": "",
		"wording": items{
			"As delivered, Windsock talks to this computer alone. If you allow this, it reads the token of your sign-in from " + file + " (" + app + ") and sends it over https to " + to +
				", and to no one else: every 10 minutes while no editor answers, at a command if the last answer is older than 5 minutes, and at once when you ask for newer figures.",
			"What comes back is your plan and what is left of it. Windsock keeps the plan's name, the figures, the resets and a salted hash of the account.",
			"Windsock never writes, renews or stores the token. It holds it in memory for one question, and never logs it. Whoever has that token can use your account.",
		},
	}
	maps.Copy(made, more)
	return made
}

// signIns are one in each state.
func signIns() object {
	return object{"sign_ins": items{
		signIn("windsurf", "Windsurf", "~/.config/Windsurf/User/globalStorage/state.vscdb", "server.codeium.com", object{
			"allowed": true, "state": "offline", "failed": "server.codeium.com cannot be reached. Check the network.", "last": "14:05",
		}),
		signIn("windsurf-next", "Windsurf - Next", "~/.config/Windsurf - Next/User/globalStorage/state.vscdb", "", object{"there": false}),
		signIn("devin-cli", "Devin CLI", "~/.local/share/devin/credentials.toml", "", nil),
		signIn("cursor", "Cursor", "~/.config/Cursor/User/globalStorage/state.vscdb", "api2.cursor.sh", nil),
	}}
}

const (
	devinBox  = "#cloud-devin-cli"
	cursorBox = "#cloud-cursor"
)

// focused is the id of what has the focus, or its text.
func (b *browser) focused(what string) {
	b.t.Helper()
	b.until("((x) => x.id === " + quote(what) + " || x.innerText === " + quote(what) + ")(document.activeElement)")
}

// A person who never touches a mouse comes to the part, hears what is sent where, looks
// the host up, goes back, and allows it.
func TestConsentByKeyboard(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /api/cloud/offer", object{"host": "eu.windsurf.com", "wording": items{"It is sent to eu.windsurf.com."}})
	hello, _ := figures()["GET /api/hello"].(object)
	hello["view"] = "settings#cloud"
	s.set("GET /api/hello", hello)
	b.open(s)
	b.focused("consent-title")
	b.shows("nav [aria-current]", "Settings")
	about := "[...document.querySelectorAll('.sign-in')].map((x) => x.querySelector('h3').innerText + ': ' + x.querySelector('dl dd:nth-of-type(1)').innerText + ' ' + x.querySelectorAll('.wording p').length + ' ' + x.querySelector('label').innerText).join('\\n')"
	want := "Windsurf: ~/.config/Windsurf/User/globalStorage/state.vscdb 3 Allow Windsock to ask server.codeium.com\n" +
		"Devin CLI: ~/.local/share/devin/credentials.toml 3 Allow Windsock to ask the host that the sign-in names\n" +
		"Cursor: ~/.config/Cursor/User/globalStorage/state.vscdb 3 Allow Windsock to ask api2.cursor.sh"
	if diff := cmp.Diff(want, js[string](b, about)); diff != "" {
		t.Errorf("what can be allowed (-want +got):\n%s", diff)
	}
	if got := js[string](b, "[...document.querySelectorAll('.sign-in .switch')].map((x) => x.checked).join()"); got != "true,false,false" {
		t.Errorf("switched on: %s", got)
	}
	// The wording stands above its switch, which is described by it.
	if !js[bool](b, "[...document.querySelectorAll('.sign-in .switch')].every((x) => { const w = document.getElementById(x.getAttribute('aria-describedby').split(' ')[0]); return w.classList.contains('wording') && w.compareDocumentPosition(x) === Node.DOCUMENT_POSITION_FOLLOWING })") {
		t.Error("a switch is not below its wording")
	}
	b.key(kb.Tab)
	b.focused("cloud-windsurf")
	b.key(kb.Tab)
	b.focused("cloud-devin-cli")
	b.key(" ")
	b.shows(".question", "The sign-in is for eu.windsurf.com. May Windsock ask there?")
	b.focused("cloud-devin-cli-question")
	s.heard(t, "POST /api/cloud/offer", `{"name":"devin-cli"}`)
	b.shows("#cloud-devin-cli-wording", "It is sent to eu.windsurf.com.")
	b.key(kb.Tab)
	b.focused("Allow eu.windsurf.com")
	b.key(kb.Tab)
	b.focused("Cancel")
	b.key(kb.Enter)
	b.focused("cloud-devin-cli")
	b.until("!document.querySelector('" + devinBox + "').checked")
	s.heard(t, "POST /api/cloud/allow", "")
	b.key(" ")
	b.focused("cloud-devin-cli-question")
	b.key(kb.Tab)
	s.set("GET /api/cloud", object{"sign_ins": items{
		signIn("devin-cli", "Devin CLI", "~/.local/share/devin/credentials.toml", "eu.windsurf.com", object{"allowed": true, "state": "not_asked"}),
	}})
	b.key(kb.Enter)
	s.heard(t, "POST /api/cloud/allow", `{"name":"devin-cli","host":"eu.windsurf.com"}`)
	b.focused("cloud-devin-cli")
	b.until("document.querySelector('" + devinBox + "').checked")
	b.shows(".sign-in .told", "No figures have come yet.")
}

// A host that is always the same is allowed by one click, and off is off at once.
func TestConsentIsGivenAndTakenBack(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	b.open(s)
	b.view("settings")
	b.shows(".consent .told", "server.codeium.com cannot be reached. Check the network.")
	b.shows(".consent .told p + p", "The last figures are of 14:05.")
	b.until("document.querySelector('" + cursorBox + "')")
	js[any](b, "document.querySelector('"+cursorBox+"').click()")
	s.heard(t, "POST /api/cloud/allow", `{"name":"cursor","host":"api2.cursor.sh"}`)
	s.set("POST /api/cloud/deny", refusal{422, "failed", "config.toml cannot be written."})
	b.until("!document.querySelector('[aria-busy=true]')")
	js[any](b, "document.querySelector('#cloud-windsurf').click()")
	s.heard(t, "POST /api/cloud/deny", `{"name":"windsurf"}`)
	b.shows(".consent [role=alert]", "config.toml cannot be written.")
	b.until("document.querySelector('#cloud-windsurf').checked") // as it still is
	// What another window or the command changes is seen here.
	s.set("GET /api/cloud", object{"sign_ins": items{
		signIn("windsurf", "Windsurf", "~/.config/Windsurf/User/globalStorage/state.vscdb", "server.codeium.com", nil),
	}})
	s.tell("settings", object{})
	b.until("document.querySelectorAll('.sign-in').length === 1 && !document.querySelector('#cloud-windsurf').checked && !document.querySelector('.consent .told.warn')")
}

// A host that Windsock does not know is told of, and nothing is switched on.
func TestConsentRefusesAnUnknownHost(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	const sentence = "The sign-in of Devin CLI is used at portal\u202e.example, which Windsock does not know. If that is your company's host, allow it by name: `windsock cloud allow devin-cli@portal.example`."
	s.set("POST /api/cloud/offer", refusal{422, "host_not_allowed", sentence})
	b.open(s)
	b.view("settings")
	b.until("document.querySelector('" + devinBox + "')")
	js[any](b, "document.querySelector('"+devinBox+"').click()")
	b.shows(".sign-in [role=alert]", "used at portal⟨U+202E⟩.example, which Windsock does not know.")
	b.until("!document.querySelector('" + devinBox + "').checked && !document.querySelector('.question')")
	s.heard(t, "POST /api/cloud/allow", "")
}

// Where the sign-in names another host by now, the question can be asked again.
func TestConsentForAnotherHost(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("GET /api/cloud", object{"sign_ins": items{signIn("devin-cli", "Devin CLI", "~/.local/share/devin/credentials.toml", "server.codeium.com", object{
		"allowed": true, "state": "host_not_allowed", "failed": "The sign-in is for another host. Allow that one.",
	})}})
	s.set("POST /api/cloud/offer", object{"host": "eu.windsurf.com", "wording": items{"It is sent to eu.windsurf.com."}})
	b.open(s)
	b.view("settings")
	b.press("Look at the host again")
	b.press("Allow eu.windsurf.com")
	s.heard(t, "POST /api/cloud/allow", `{"name":"devin-cli","host":"eu.windsurf.com"}`)
}

// Nothing that a sign-in or its program is called becomes a part of the page.
func TestConsentShowsPlainText(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	const evil = "<img src=x onerror=document.title='x'>\u202e"
	s.set("GET /api/cloud", object{"sign_ins": items{
		signIn("cursor", "App", "~/"+evil, evil, object{"allowed": true, "state": "refused", "failed": evil, "wording": items{evil}}),
		signIn("none", evil, evil, "", object{"there": false}),
	}})
	b.open(s)
	b.view("settings")
	b.until("document.querySelector('.far')")
	js[any](b, "document.querySelector('.far').open = true")
	text := b.text(".consent")
	if got := js[int](b, "document.querySelectorAll('.consent img').length"); got != 0 {
		t.Errorf("%d pictures:\n%s", got, text)
	}
	b.shows(".consent .wording", "<img src=x onerror=document.title='x'>⟨U+202E⟩")
	if js[bool](b, "document.querySelector('.consent').innerText.includes('\\u202e')") {
		t.Errorf("a character turns the text around:\n%s", text)
	}
}
