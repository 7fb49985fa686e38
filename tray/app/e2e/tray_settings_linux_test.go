package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

func TestTraySettings(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{Scenario: "quota_tight"})
	opened := fakeOpener(t, bus)
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, opened.env())
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Daily quota: 8 % left")

	item.Click(t, "Settings…")
	file := filepath.Join(bus.Dir(), "home", ".config", "windsock", "config.toml")
	opened.wait(t, file)
	if content, err := os.ReadFile(file); err != nil || !strings.Contains(string(content), "#interval = ") {
		t.Errorf("%v, %s", err, content)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[usage]\nclock = \"12h\"\n")
	item.WaitMenu(t, func(text string) bool { return strings.Contains(text, "AM)") || strings.Contains(text, "PM)") })
	write("[usage]\nclock = \"24h\"\n")
	item.WaitMenu(t, func(text string) bool { return !strings.Contains(text, "AM)") && !strings.Contains(text, "PM)") })
	item.Click(t, "Manage plan…")
	opened.wait(t, "https://windsurf.com/subscription/manage-plan")
}

// TestTraySettingsReachThePoller: another editor is asked from now on.
func TestTraySettingsReachThePoller(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	app := e.windsock(t)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "453 of 500")
	dir := filepath.Join(bus.Dir(), "home", ".config", "windsock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(file, []byte("[usage]\nvariant = \"windsurf-next\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	item.WaitMenuContains(t, "Windsurf Next is not running.")
	if text := item.MenuText(t); strings.Contains(text, "453") {
		t.Errorf("another editor's figures are still there:\n%s", text)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	item.WaitMenuContains(t, "453 of 500")
}

func TestTrayStartsWithBrokenSettings(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	dir := filepath.Join(bus.Dir(), "home", ".config", "windsock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[usage]\nintervall = 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	app := e.windsock(t)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Windsurf (Devin Desktop) is not running.", "config.toml, line 2")
	item.Click(t, "Quit Windsock (devel)")
	app.Wait(t)
	headless := e.windsock(t, "--headless")
	headless.WaitOutput(t, "settings not usable")
	headless.WaitOutput(t, "config.toml, line 2")
}

func TestTrayStartAtLogin(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	cmd := e.command(t)
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Start at login  [ ]")
	// The session is below a temporary directory, which is no place to start from.
	item.Click(t, "Start at login")
	item.WaitMenuContains(t, "temporary directory", "Start at login  [ ]")
	item.Click(t, "Quit Windsock (devel)")
	app.Wait(t)

	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	lasting, err := os.MkdirTemp(cache, "windsock-test-") //nolint:usetesting // a place that is not temporary
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(lasting) })
	program := filepath.Join(lasting, "windsock")
	install(t, program)
	again := exec.CommandContext(context.WithoutCancel(t.Context()), program)
	again.Env = cmd.Env
	app = bus.Start(t, again)
	item = bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Start at login  [ ]")
	item.Click(t, "Start at login")
	item.WaitMenuContains(t, "Start at login  [x]")
	file := filepath.Join(bus.Dir(), "home", ".config", "autostart", "windsock.desktop")
	content, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(content), program) {
		t.Errorf("%v, %s", err, content)
	}
	item.Click(t, "Start at login")
	item.WaitMenuContains(t, "Start at login  [ ]")
}

// opener is the desktop's program for opening; it notes its arguments.
type opener struct{ dir, file string }

func fakeOpener(t *testing.T, bus *traytest.Bus) opener {
	t.Helper()
	o := opener{dir: filepath.Join(bus.Dir(), "opener"), file: filepath.Join(bus.Dir(), "opened")}
	if err := os.Mkdir(o.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nprintf '%s\\n' \"$1\" >>'" + o.file + "'\n"
	if err := os.WriteFile(filepath.Join(o.dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o opener) env() string { return "PATH=" + o.dir + ":" + os.Getenv("PATH") }

// wait waits until something has been opened.
func (o opener) wait(t *testing.T, what string) {
	t.Helper()
	waitFor(t, what, func() bool {
		content, _ := os.ReadFile(o.file)
		return strings.Contains(string(content), what+"\n")
	})
}
