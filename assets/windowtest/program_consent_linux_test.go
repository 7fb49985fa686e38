package windowtest

import (
	"os"
	"strings"
	"testing"
)

// What is switched off on the page is off in the settings at once, and the figures that
// came that way are gone; what is allowed brings them.
func TestProgramTakesConsentBack(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.size(900, 1400)
	b.enter(start(t, "cloud", "settings"))
	b.shows(".left", "left")
	b.until("document.querySelector('" + devinBox + "')?.checked")
	b.shows(".sign-in .told.good", "The last figures are of")
	b.shows(".sign-in .wording", "over https to server.codeium.com, and to no one else")
	js[any](b, "document.querySelector('.consent').scrollIntoView()")
	b.keep("program-consent")
	file := func(want bool) {
		t.Helper()
		path := js[string](b, "document.querySelector('.places').innerText.match(/\\S+config\\.toml/)?.[0] ?? ''")
		text, err := os.ReadFile(path)
		if got := strings.Contains(string(text), "devin-cli@server.codeium.com"); err != nil || got != want {
			t.Errorf("allowed: %t, want %t (%v)", got, want, err)
		}
	}
	file(true)
	js[any](b, "document.querySelector('"+devinBox+"').click()")
	b.until("!document.querySelector('" + devinBox + "').checked && !document.querySelector('.sign-in .told')")
	file(false)
	b.shows(".left", "is not running")
	b.until("!document.querySelector('.left').innerText.includes('%')")
	b.keep("program-consent-off")
	js[any](b, "document.querySelector('"+devinBox+"').click()")
	b.shows(".question", "The sign-in is for server.codeium.com.")
	b.press("Allow server.codeium.com")
	b.until("document.querySelector('" + devinBox + "')?.checked")
	file(true)
	b.shows(".left", "% left")
}
