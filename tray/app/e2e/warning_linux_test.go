package e2e

import (
	"os"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// TestWarningActions: a warning leads to the usage view of its plan and to the plan's
// page, and mutes its meter as the menu's row does.
func TestWarningActions(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	daemon := bus.Notifier(t, "body", "actions")
	e := signIn(t, bus)
	e.start(t, simulator.Config{Scenario: "pro_low"})
	browser, opener := newFakeBrowser(t, bus), fakeOpener(t, bus)
	note := "echo \"$XDG_ACTIVATION_TOKEN\" >>'" + browser.file + ".tokens'\n"
	script, err := os.ReadFile(browser.program)
	if err == nil {
		err = os.WriteFile(browser.program, append(script, note...), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, browser.env(), opener.env())
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())

	low := bus.WaitNotifications(t, 1)[0]
	daemon.Choose(t, low.ID, "default", "token")
	opens(t, browser.shown(t, 1), "usage#windsurf")()
	waitFor(t, "the token", func() bool {
		tokens, _ := os.ReadFile(browser.file + ".tokens") // soon there
		return string(tokens) == "token\n"
	})

	if err := e.server.Set(t.Context(), "pro_near_end", ""); err != nil {
		t.Fatal(err)
	}
	lower := bus.WaitNotifications(t, 2)[1]
	daemon.Choose(t, lower.ID, keyOf(t, lower, "Manage plan"), "")
	opener.wait(t, "https://windsurf.com/subscription/manage-plan")
	item.WaitMenuContains(t, muteLabel)

	if err := e.server.Set(t.Context(), "exhausted", ""); err != nil {
		t.Fatal(err)
	}
	over := bus.WaitNotifications(t, 3)[2]
	daemon.Choose(t, over.ID, keyOf(t, over, "Mute until the reset"), "")
	item.WaitMenuContains(t, "[x]")
	if text := item.MenuText(t); !strings.Contains(text, muteLabel) {
		t.Errorf("muted: %s", text)
	}
}

// keyOf is the key of an action.
func keyOf(t *testing.T, n traytest.Notification, label string) string {
	t.Helper()
	for i := 1; i < len(n.Actions); i += 2 {
		if n.Actions[i] == label {
			return n.Actions[i-1]
		}
	}
	t.Fatalf("no action %s in %+v", label, n)
	return ""
}
