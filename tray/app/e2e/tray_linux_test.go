package e2e

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

const teamsMenu = `Windsurf · Teams · updated just now
▰▰▰▰▰▰▰▰▰▱  Prompt credits: 453 of 500 left (91 %)
    ✓ On course · N–N % left at the reset · resets in … (…)
▰▰▰▰▰▰▰▰▰▱  Flex credits: 24,994.5 of 26,750 left (93 %)
---
Quick prompt…
Usage history…
Clean trajectories…
---
Refresh now
Manage plan…
Save diagnostics…
Settings…
Local API  [ ]
Start at login  [ ]
---
Quit Windsock (devel)
`

// lateRows are parts of teamsMenu that come one after the other: once all of them are
// there, the menu of an app that seldom asks stays as it is.
var lateRows = []string{"453 of 500 left", "Clean trajectories…", "Local API", "Start at login"}

func TestTrayLife(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	watcher := bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	app := e.windsock(t)
	item := bus.Item(t, app.PID())

	// Of these, each has a moment in which it is otherwise: a fetch is under way, or
	// has taken so long that the figures were not fresh.
	eventually(t, "menu as it should be", teamsMenu, func() string { return dateless(item.MenuText(t)) })
	for _, name := range []string{"Id", "Title"} {
		if got := traytest.Property[string](t, item, name); got != "Windsock" {
			t.Errorf("%s %q", name, got)
		}
	}
	const tip = "Prompt credits: 453 of 500 left (91 %) · On course · N–N % left at the reset · resets in … (…)"
	eventually(t, "tooltip as it should be", tip, func() string { return dateless(item.ToolTip(t)) })
	if bare := watcher.Bare(); len(bare) > 0 {
		t.Errorf("registered without a picture: %q", bare)
	}
	if size := item.Icon(t).Bounds().Size(); size.X != size.Y || size.X < 22 {
		t.Errorf("icon of %v", size)
	}

	e.quit(t)
	item.WaitMenuContains(t, "Showing figures of", "453 of 500")
	e.start(t, simulator.Config{Scenario: "quota_tight"})
	item.WaitMenuContains(t, "Daily quota: 8 % left", "Extra usage: $12.50 left")

	watcher.Stop(t)
	watcher.Start(t)
	item = bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Daily quota: 8 % left")

	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	item.WaitGone(t)
	leavesNothing(t, e)
	tellsNoSecret(t, e, app)
}

func TestTrayRefresh(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, testInterval+"=1h")
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "453 of 500")
	// Too early: it says so, and becomes possible by itself. A click that comes five
	// seconds after the first figures is not too early, but the next one is.
	waitFor(t, "a row that says from when", func() bool {
		item.TryClick(t, "Refresh now")
		return strings.Contains(item.MenuText(t), "Refresh now (possible in")
	})
	item.WaitMenu(t, func(text string) bool { return strings.Contains(text, "Refresh now\n") })
	before := e.server.Count()["GetUserStatus"]
	item.Click(t, "Refresh now")
	waitFor(t, "a call", func() bool { return e.server.Count()["GetUserStatus"] > before })
}

// TestTrayIsQuiet: nothing goes over the bus while nothing changes.
func TestTrayIsQuiet(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, testInterval+"=1h")
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, lateRows...)
	time.Sleep(3 * time.Second) // after the repetition that follows the start
	signals := item.Signals(t)
	time.Sleep(3 * time.Second)
	if diff := cmp.Diff(map[string]int{}, signals.Count(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTrayWithoutHost(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Notifier(t, "body", "body-markup")
	watcher := bus.Watch(t, false) // which a panel without a tray has, too
	e := signIn(t, bus)
	app := e.windsock(t)
	app.WaitOutput(t, "No panel here shows tray icons.")
	notes := bus.WaitNotifications(t, 1)
	if len(notes) != 1 || notes[0].App != "Windsock" || !strings.Contains(notes[0].Body, "GNOME") {
		t.Errorf("notifications: %+v", notes)
	}
	if n := strings.Count(app.Output(), "No panel"); n != 1 {
		t.Errorf("told %d times", n)
	}
	// A panel that comes late is good enough.
	watcher.SetHost(t, true)
	bus.Item(t, app.PID()).WaitMenuContains(t, "Windsurf (Devin Desktop) is not running.")
}

func TestTrayWithoutBus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, says string }{
		{"", "or with --headless, or use `windsock status`."},
		{"demo", "or use `windsock demo status`."},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			bus := traytest.StartBus(t)
			e := signIn(t, bus)
			cmd := e.command(t, strings.Fields(tt.args)...)
			cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+t.TempDir())
			app := bus.Start(t, cmd)
			if code := app.Wait(t); code != 1 {
				t.Errorf("exit code %d", code)
			}
			if out := app.Output(); !strings.Contains(out, "There is no desktop session here") || !strings.Contains(out, tt.says) {
				t.Errorf("output: %s", out)
			}
		})
	}
}

func TestTrayEndsBySignal(t *testing.T) {
	t.Parallel()
	// Tests that run under nohup would hand on that they ignore it.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		for _, mode := range []string{"", "--headless"} {
			t.Run(signal.String()+mode, func(t *testing.T) {
				t.Parallel()
				bus := traytest.StartBus(t)
				bus.Watch(t, true)
				e := signIn(t, bus)
				e.start(t, simulator.Config{})
				var app *traytest.Process
				if mode == "" {
					app = e.windsock(t)
					bus.Item(t, app.PID()).WaitMenuContains(t, "453 of 500")
				} else {
					app = e.windsock(t, mode)
					app.WaitOutput(t, "figures had")
				}
				app.Signal(t, signal)
				if code := app.Wait(t); code != 0 {
					t.Errorf("exit code %d; %s", code, app.Output())
				}
				leavesNothing(t, e)
			})
		}
	}
}

func TestTrayOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	inner := e.command(t)
	cmd := exec.CommandContext(t.Context(), "nohup", inner.Path)
	cmd.Env = inner.Env
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	app.Signal(t, syscall.SIGHUP)
	item.WaitMenuContains(t, "Windsurf (Devin Desktop) is not running.")
	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTrayOffline: what an editor that does not run has kept is shown until one
// runs.
func TestTrayOffline(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	dir := filepath.Join(bus.Dir(), "home", ".config", "Windsurf")
	if err := simtest.SignIn(dir, simtest.Auth{Key: testKey, Scenario: "quota_tight"}); err != nil {
		t.Fatal(err)
	}
	app := e.windsock(t)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Showing what the editor has kept, age unknown", "Daily quota: 8 % left")
	e.start(t, simulator.Config{})
	var text string
	waitFor(t, "figures of the editor", func() bool {
		item.TryClick(t, "Refresh now") // which it is too early for, or at it by itself
		text = item.MenuText(t)
		return strings.Contains(text, "453 of 500 left")
	})
	if strings.Contains(text, "kept") {
		t.Errorf("still there:\n%s", text)
	}
}

// TestTrayOutlivesItsReader: a launcher that read stderr may be gone by the time
// that something is written there.
func TestTrayOutlivesItsReader(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Notifier(t, "body")
	e := signIn(t, bus)
	cmd := e.command(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = writer
	app := bus.Start(t, cmd)
	_, _ = reader.Close(), writer.Close()
	bus.WaitNotifications(t, 1) // stderr has just reported the missing panel
	bus.Watch(t, true)
	item := bus.Item(t, app.PID())
	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
