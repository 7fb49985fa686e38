package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// testKey is the API key of the account that is signed in.
const testKey = "sk-ws-01-tray-test-key"

// editor is a simulated editor in a session: signed in, and with a server or
// not.
type editor struct {
	bus    *traytest.Bus
	server *simulator.Process
	// env is added to its servers' environment.
	env []string
	// tokens are those of all servers there were.
	tokens []string
}

// signIn makes an editor that does not run.
func signIn(t *testing.T, bus *traytest.Bus) *editor {
	t.Helper()
	dir := filepath.Join(bus.Dir(), "home", ".config", "Windsurf")
	if err := simulator.SignIn(dir, simulator.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	e := &editor{bus: bus}
	e.writePIDs(t)
	return e
}

// start starts the editor with a scenario.
func (e *editor) start(t *testing.T, c simulator.Config) {
	t.Helper()
	root := filepath.Join(e.bus.Dir(), "editor")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	server, err := simulator.Start(context.WithoutCancel(t.Context()), simulator.Options{
		Root: root, IDEName: "windsurf", App: "usr/share/windsurf", RunChild: true, Env: e.env, Config: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	e.server = server
	e.tokens = append(e.tokens, server.Ready().Token)
	e.writePIDs(t)
}

// quit ends the editor.
func (e *editor) quit(t *testing.T) {
	t.Helper()
	if err := e.server.Stop(); err != nil {
		t.Fatal(err)
	}
}

func (e *editor) writePIDs(t *testing.T) {
	t.Helper()
	var pids []string
	if e.server != nil {
		for _, pid := range e.server.PIDs() {
			pids = append(pids, fmt.Sprint(pid))
		}
	}
	if err := os.WriteFile(e.pids(), []byte(strings.Join(pids, " ")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (e *editor) pids() string { return filepath.Join(e.bus.Dir(), "pids") }

// windsock starts the app, which asks every second. It sees this editor alone.
func (e *editor) windsock(t *testing.T, args ...string) *traytest.Process {
	t.Helper()
	return e.bus.Start(t, e.command(t, args...))
}

func (e *editor) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(e.bus.Dir(), "bin", "windsock")
	if _, err := os.Stat(program); err != nil {
		install(t, program)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	cmd.Env = []string{pidsFile + "=" + e.pids(), testInterval + "=1s", "TZ=UTC"}
	return cmd
}

// install puts windsock somewhere.
func install(t *testing.T, program string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Link(testProgram(t), program) == nil {
		return
	}
	content, err := os.ReadFile(testProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, content, 0o700); err != nil {
		t.Fatal(err)
	}
}

// removeTestProgram runs after all tests.
func removeTestProgram() {
	if raceEnabled {
		_ = os.Remove(raceFree())
	}
}

func raceFree() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("windsock-test-%d", os.Getpid()))
}

// testProgram is a build of this test's program, which behaves as windsock under
// that name. systray has data races of its own, so that one built with the race
// detector does not do.
var testProgram = func() func(*testing.T) string {
	var once sync.Once
	var program string
	var err error
	return func(t *testing.T) string {
		t.Helper()
		once.Do(func() { program, err = buildTestProgram() })
		if err != nil {
			t.Fatal(err)
		}
		return program
	}
}()

func buildTestProgram() (string, error) {
	if !raceEnabled {
		return os.Executable()
	}
	program := raceFree()
	out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build test program: %w\n%s", err, out)
	}
	return program, nil
}

// near is a time to go or a date near now, which no test can know beforehand.
var near = regexp.MustCompile(`(in [0-9dhm ]+ |soon )\([^)]*\)`)

func dateless(text string) string { return near.ReplaceAllString(text, "in … (…)") }

const teamsMenu = `Windsurf · Teams · updated just now
▰▰▰▰▰▰▰▰▰▱  Prompt credits: 453 of 500 left (91 %)
    ✓ On course: ~82 % left at reset · resets in … (…)
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

func TestTrayLife(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	watcher := bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	app := e.windsock(t)
	item := bus.Item(t, app.PID())

	menu := item.WaitMenuContains(t, "453 of 500", "Start at login", "Refresh now", "Clean trajectories…")
	if diff := cmp.Diff(teamsMenu, dateless(menu)); diff != "" {
		t.Errorf("menu (-want +got):\n%s", diff)
	}
	if id, title := item.ID(t), item.Title(t); id != "Windsock" || title != "Windsock" {
		t.Errorf("ID %q, title %q", id, title)
	}
	if got, want := dateless(item.ToolTip(t)), "Prompt credits: 453 of 500 left (91 %) · On course: ~82 % left at reset · resets in … (…)"; got != want {
		t.Errorf("tooltip %q, want %q", got, want)
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

// leavesNothing checks what is on disk after the end.
func leavesNothing(t *testing.T, e *editor) {
	t.Helper()
	var left []string
	for _, dir := range []string{"tmp", "run"} {
		root := filepath.Join(e.bus.Dir(), dir)
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				left = append(left, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if left != nil {
		t.Errorf("still there: %q", left)
	}
}

// tellsNoSecret checks what the app has written, anywhere.
func tellsNoSecret(t *testing.T, e *editor, app *traytest.Process) {
	t.Helper()
	told := map[string]string{"output": app.Output()}
	state := filepath.Join(e.bus.Dir(), "home", ".local", "state", "windsock")
	files, err := os.ReadDir(state)
	if err != nil {
		t.Error(err)
	}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(state, f.Name()))
		if err != nil {
			t.Error(err)
		}
		told[f.Name()] = string(content)
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	if !strings.Contains(told["windsock.log"], "figures had") {
		t.Errorf("log: %q", told["windsock.log"])
	}
	for name, text := range told {
		for _, secret := range append(e.tokens, testKey) {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %q", name, secret)
			}
		}
	}
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
	before := e.server.Count()["GetUserStatus"]
	// Too early: it says so, and becomes possible by itself.
	item.Click(t, "Refresh now")
	item.WaitMenuContains(t, "Refresh now (possible in")
	item.WaitMenu(t, func(text string) bool { return strings.Contains(text, "Refresh now\n") })
	item.Click(t, "Refresh now")
	waitFor(t, "a call", func() bool { return e.server.Count()["GetUserStatus"] > before })
}

// waitFor waits until something has come about.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s", strings.TrimPrefix(what, "a "))
		}
	}
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
	item.WaitMenuContains(t, "453 of 500")
	time.Sleep(3 * time.Second) // past what is repeated once after the start
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
	bus.Item(t, app.PID()).WaitMenuContains(t, "Windsurf is not running.")
}

func TestTrayWithoutBus(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	e := signIn(t, bus)
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+t.TempDir())
	app := bus.Start(t, cmd)
	if code := app.Wait(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(app.Output(), "There is no desktop session here") {
		t.Errorf("output: %s", app.Output())
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
	item.WaitMenuContains(t, "Windsurf is not running.")
	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

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

// TestTrayOffline: what an editor that does not run has kept is shown until one
// runs.
func TestTrayOffline(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	dir := filepath.Join(bus.Dir(), "home", ".config", "Windsurf")
	if err := simulator.SignIn(dir, simulator.Auth{Key: testKey, Scenario: "quota_tight"}); err != nil {
		t.Fatal(err)
	}
	app := e.windsock(t)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Showing what the editor has kept, age unknown", "Daily quota: 8 % left")
	e.start(t, simulator.Config{})
	item.Click(t, "Refresh now")
	text := item.WaitMenuContains(t, "453 of 500 left")
	if strings.Contains(text, "kept") {
		t.Errorf("still there:\n%s", text)
	}
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
	bus.WaitNotifications(t, 1) // it has just told stderr that there is no panel
	bus.Watch(t, true)
	item := bus.Item(t, app.PID())
	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
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
	item.WaitMenuContains(t, "Windsurf is not running.", "config.toml, line 2")
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

// opener is what the desktop opens things with; it notes them.
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
