package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// TestShortcut: nothing is asked for until a person sets a key. It then opens the prompt,
// also after the next start. A refusal takes it out of the settings.
func TestShortcut(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	portal := bus.Portal(t, "windsock.Windsock")
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	browser := newFakeBrowser(t, bus)
	file := filepath.Join(bus.Dir(), "home", ".config", "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *traytest.Process {
		cmd := e.command(t)
		cmd.Env = append(cmd.Env, browser.env())
		app := bus.Start(t, cmd)
		bus.Item(t, app.PID()).WaitMenuContains(t, lateRows...)
		return app
	}
	app := start()
	portal.WaitAsked(t)
	set("[prompt]\nkey = \"Ctrl+Alt+W\"\n")
	portal.WaitAsked(t, "CTRL+ALT+w")
	portal.Allow()
	opened := 0
	presses := func() {
		t.Helper()
		opened++
		portal.Press(t, "")
		opens(t, browser.shown(t, opened), "prompt")()
	}
	presses()
	bus.Item(t, app.PID()).Click(t, "Quit Windsock (devel)")
	app.Wait(t)

	app = start()
	portal.WaitAsked(t, "CTRL+ALT+w", "CTRL+ALT+w") // which a desktop answers from memory
	portal.Allow()
	presses()
	set("[prompt]\nkey = \"Super+Space\"\n")
	portal.WaitAsked(t, "CTRL+ALT+w", "CTRL+ALT+w", "LOGO+space")
	portal.Refuse()
	waitFor(t, "settings without the key", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && !strings.Contains(string(text), "Super")
	})
	tellsNoSecret(t, e, app)
}
