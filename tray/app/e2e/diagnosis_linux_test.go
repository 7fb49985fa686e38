package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// TestTrayDiagnostics: the row writes what doctor says to a file, and opens it.
func TestTrayDiagnostics(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	opened := fakeOpener(t, bus)
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, opened.env())
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Prompt credits: 453 of 500 left")
	item.Click(t, "Save diagnostics…")
	var files []string
	waitFor(t, "file with the diagnosis", func() bool {
		files, _ = filepath.Glob(filepath.Join(bus.Dir(), "home", ".local", "state", "windsock", "diagnostics-*.txt"))
		return len(files) == 1
	})
	opened.wait(t, files[0])
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"✓ call", "✓ session bus", "✓ tray host", "✓ history", "✓ cloud", "Windsock can read the plan from Windsurf.\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	for _, never := range []string{testKey, bus.Dir(), "\x1b"} {
		if strings.Contains(string(text), never) {
			t.Errorf("it says %q:\n%s", never, text)
		}
	}
}
