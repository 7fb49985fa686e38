package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

// TestDesktop shows the app on a real panel, in the states that a person meets,
// and keeps the pictures.
func TestDesktop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config simulator.Config
		// quits says that the editor ends after the first figures.
		quits bool
		// off says that it never runs.
		off   bool
		light bool
		want  []string
	}{
		{name: "credits", want: []string{"453 of 500 left"}},
		{name: "credits_light", light: true, want: []string{"453 of 500 left"}},
		{name: "quota", config: simulator.Config{Scenario: "quota_tight"}, want: []string{"Daily quota: 8 % left"}},
		{name: "exhausted", config: simulator.Config{Scenario: "exhausted"}, want: []string{"Prompt credits: Used up"}},
		{name: "stale", quits: true, want: []string{"Showing figures of", "453 of 500 left", "Figures without the editor…"}},
		{name: "error", off: true, want: []string{"Windsurf (Devin Desktop) is not running.", "Figures without the editor…"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			look := traytest.Dark
			if tt.light {
				look = traytest.Light
			}
			d := traytest.StartDesktop(t, look)
			e := signIn(t, d.Bus)
			if !tt.off {
				e.start(t, tt.config)
			}
			app := e.windsock(t)
			item := d.Item(t, app.PID())
			if tt.quits {
				item.WaitMenuContains(t, "453 of 500 left")
				fresh := iconBeside(t, item, "· updated just now")
				e.quit(t)
				waitFor(t, "an icon that looks stale", func() bool {
					return !traytest.Changed(fresh, item.Icon(t)).Empty()
				})
			}
			item.WaitMenuContains(t, tt.want...)
			place := d.IconPlace(t)
			if size := place.Size(); size.X < 12 || size.X > 36 || size.Y < 12 || size.Y > 36 {
				t.Errorf("the icon takes %v", place)
			}
			menu := d.OpenMenu(t, traytest.Left)
			picture := d.Screenshot(t, tt.name)
			traytest.Save(t, tt.name+"_crop", traytest.Crop(picture, menu.Union(place).Inset(-12).Intersect(picture.Bounds())))
			d.CloseMenu(t)
		})
	}
}

// TestDesktopLife is a day of the app on a real panel: hovered, clicked, asked
// to refresh with the keyboard, with the panel and the editor restarted.
func TestDesktopLife(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	e := signIn(t, d.Bus)
	e.start(t, simulator.Config{})
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, testInterval+"=1h")
	app := d.Start(t, cmd)
	item := d.Item(t, app.PID())
	item.WaitMenuContains(t, lateRows...)

	hover(t, d, "tooltip")

	refresh := func() {
		t.Helper()
		asked := e.server.Count()["GetUserStatus"]
		// It may be too early, which the row says then. A click is not repeated before
		// it had its effect: a fetch that begins takes the row away from under the keys.
		waitFor(t, "a refresh", func() bool {
			fetched := func() bool { return e.server.Count()["GetUserStatus"] > asked }
			return pick(t, d, item, "Refresh now") &&
				soon(func() bool { return fetched() || strings.Contains(item.MenuText(t), "possible in") }) && fetched()
		})
	}
	refresh()

	d.StopPanel(t)
	d.StartPanel(t)
	item = d.Item(t, app.PID())
	item.WaitMenuContains(t, "453 of 500 left")
	d.IconPlace(t)

	e.quit(t)
	e.start(t, simulator.Config{Scenario: "quota_tight"})
	refresh()
	item.WaitMenuContains(t, "Daily quota: 8 % left", "Clean trajectories…", "Refresh now\n")

	waitFor(t, "a row to quit with", func() bool { return pick(t, d, item, "Quit Windsock (devel)") })
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	leavesNothing(t, e)
}

// hover waits for the icon's tooltip, and keeps a picture of it.
func hover(t *testing.T, d *traytest.Desktop, name string) {
	t.Helper()
	place := d.IconPlace(t)
	before := d.Still(t)
	middle := place.Min.Add(place.Size().Div(2))
	d.Move(t, middle.X, middle.Y)
	waitFor(t, "a tooltip", func() bool {
		return traytest.Changed(before, d.Screen(t)).Dy() > 50
	})
	d.Screenshot(t, name)
}

// TestDesktopWarns: each threshold is reported once, by a notification of a real
// daemon, however often the app is started. A click on it leads to the usage view,
// and each takes the place of the one before.
func TestDesktopWarns(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	e := signIn(t, d.Bus)
	e.start(t, simulator.Config{})
	browser := newFakeBrowser(t, d.Bus)
	start := func() *traytest.Process {
		cmd := e.command(t)
		cmd.Env = append(cmd.Env, browser.env())
		return d.Start(t, cmd)
	}
	app := start()
	d.Item(t, app.PID()).WaitMenuContains(t, "453 of 500 left")
	becomes := func(scenario, menu string) {
		t.Helper()
		if err := e.server.Set(t.Context(), scenario, ""); err != nil {
			t.Fatal(err)
		}
		d.Item(t, app.PID()).WaitMenuContains(t, menu)
	}
	told := func(popups int, want ...string) {
		t.Helper()
		d.WaitPopups(t, popups)
		var got []string
		for _, n := range d.WaitNotifications(t, len(want)) {
			got = append(got, n.App+" | "+n.Summary)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notifications (-want +got):\n%s", diff)
		}
	}
	becomes("pro_low", "80 of 500 left")
	told(1, "Windsock | Prompt credits: 16 % left")
	d.Screenshot(t, "warning")
	waitFor(t, "a warning that is remembered", func() bool {
		log, _ := os.ReadFile(filepath.Join(d.Dir(), "home", ".local", "state", "windsock", "windsock.log")) // soon there
		return strings.Contains(string(log), "msg=warned")
	})

	size := d.Still(t).Bounds().Size()
	d.Xdotool(t, "mousemove", strconv.Itoa(size.X-180), strconv.Itoa(size.Y-40), "click", "2") // dunst's button for it
	opens(t, browser.shown(t, 1), "usage#windsurf")()
	d.WaitPopups(t, 0)

	app.Signal(t, syscall.SIGTERM)
	app.Wait(t)
	app = start()
	d.Item(t, app.PID()).WaitMenuContains(t, "80 of 500 left")
	asked := e.server.Count()["GetUserStatus"]
	waitFor(t, "two more fetches", func() bool { return e.server.Count()["GetUserStatus"] >= asked+2 })
	told(0, "Windsock | Prompt credits: 16 % left")

	becomes("pro_near_end", "15 of 500 left")
	told(1, "Windsock | Prompt credits: 16 % left", "Windsock | Prompt credits: 3 % left")
	d.Screenshot(t, "warnings")

	becomes("exhausted", "Used up")
	told(1, "Windsock | Prompt credits: 16 % left", "Windsock | Prompt credits: 3 % left", "Windsock | Prompt credits: used up")
	if n := d.WaitNotifications(t, 3); n[1].Urgency != 1 || n[2].Urgency != 2 {
		t.Errorf("urgencies %d and %d", n[1].Urgency, n[2].Urgency)
	}
	d.Screenshot(t, "critical")
}

// pick opens the menu with the pointer and goes to a row with the keyboard, as
// a person can. It reports whether it did: a row that is disabled now is left alone,
// and so is a menu in which rows came or went. It is for an app that seldom asks:
// while one fetches, its row to refresh is not counted.
func pick(t *testing.T, d *traytest.Desktop, item *traytest.Item, label string) bool {
	t.Helper()
	ups := upsTo(item.Menu(t), label)
	if ups == 0 {
		return false
	}
	d.OpenMenu(t, traytest.Left)
	if upsTo(item.Menu(t), label) != ups {
		d.CloseMenu(t)
		return false
	}
	for range ups {
		d.Xdotool(t, "key", "Up")
	}
	d.Xdotool(t, "key", "Return")
	return true
}

// upsTo is how often the Up key has to be pressed for a row, starting below the last
// one; a menu skips disabled rows. 0 is a row that cannot be picked.
func upsTo(menu []traytest.MenuEntry, label string) int {
	ups := 0
	for _, row := range slices.Backward(menu) {
		if !row.Visible || !row.Enabled || row.Type == "separator" {
			continue
		}
		ups++
		if row.Label == label {
			return ups
		}
	}
	return 0
}

// TestDemoOnDesktop runs the program as it is built for people.
func TestDemoOnDesktop(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	demo := d.Start(t, exec.CommandContext(t.Context(), shipped(t), "demo"))
	item := d.Item(t, demo.PID())
	first := item.WaitMenuContains(t, "Demo in time-lapse: all figures are made up", "Prompt credits: ")
	d.OpenMenu(t, traytest.Left)
	d.Screenshot(t, "demo")
	d.CloseMenu(t)
	item.WaitMenu(t, func(text string) bool { return text != first })
	if tip := item.ToolTip(t); !strings.HasPrefix(tip, "Demo: ") {
		t.Errorf("tooltip %q", tip)
	}
	item.Click(t, "Quit Windsock (devel)")
	if code := demo.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	leavesNothing(t, &editor{bus: d.Bus})
}

// TestDesktopPlans shows three plans, of which one goes away and another one is used up,
// and has another one lead.
func TestDesktopPlans(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	e := signIn(t, d.Bus)
	e.start(t, simulator.Config{})
	if err := simtest.SignIn(filepath.Join(d.Dir(), "home", ".config", "Windsurf - Next"), simtest.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	next := e.beside(t, simulator.Options{
		IDEName: "windsurf-next", App: "usr/share/windsurf-next", RunChild: true, Config: simulator.Config{Scenario: "quota_tight", Account: "sam"},
	})
	google := e.beside(t, simulator.Options{Config: simulator.Config{Antigravity: simulator.AntigravityApp, Scenario: "pro"}})
	app := e.windsock(t)
	item := d.Item(t, app.PID())
	picture := func(name string) {
		t.Helper()
		d.OpenMenu(t, traytest.Left)
		d.Screenshot(t, "plans_"+name)
		d.CloseMenu(t)
	}
	item.WaitMenuContains(t, "453 of 500 left", "Weekly quota: 12 % left", "Gemini weekly: 86 % left")
	picture("three")

	if err := google.Set(t.Context(), "exhausted", ""); err != nil {
		t.Fatal(err)
	}
	item.WaitMenuContains(t, "Used up")
	if tip := item.ToolTip(t); !strings.HasPrefix(tip, "Windsurf · Prompt credits: 453 of 500 left (91 %)") || !strings.HasSuffix(tip, "; Antigravity: Gemini 5-hour used up") {
		t.Errorf("tooltip %q", tip)
	}
	picture("used_up")
	hover(t, d, "plans_tooltip")

	icon := item.Icon(t)
	if err := next.Stop(); err != nil {
		t.Fatal(err)
	}
	item.WaitMenuContains(t, "Windsurf Next · Pro · figures of ")
	if !traytest.Changed(icon, item.Icon(t)).Empty() {
		t.Error("the icon has changed, too")
	}
	picture("gone")

	// The menu may change under a click, which then goes to another row, or to none.
	waitFor(t, "the check mark of a heading that was clicked", func() bool {
		if strings.HasPrefix(checked(item.Menu(t)), "Antigravity · ") {
			return true
		}
		pick(t, d, item, headingOf(item.Menu(t), "Antigravity · "))
		return false
	})
	picture("chosen")
	settings, err := os.ReadFile(filepath.Join(d.Dir(), "home", ".config", "windsock", "config.toml"))
	if err != nil || !strings.Contains(string(settings), `plan = "antigravity"`) {
		t.Errorf("%v, settings %s", err, settings)
	}
}

// headingOf is the visible row that begins so, and checked the one with a check mark.
func headingOf(menu []traytest.MenuEntry, begin string) string {
	return labelOf(menu, func(row traytest.MenuEntry) bool { return strings.HasPrefix(row.Label, begin) })
}

func checked(menu []traytest.MenuEntry) string {
	return labelOf(menu, func(row traytest.MenuEntry) bool { return row.ToggleState == 1 })
}

func labelOf(menu []traytest.MenuEntry, is func(traytest.MenuEntry) bool) string {
	for _, row := range menu {
		if row.Visible && is(row) {
			return row.Label
		}
	}
	return ""
}

// TestDemoOfSeveralPlans: a click on a plan's heading makes it the leading one, whose
// figures the icon shows.
func TestDemoOfSeveralPlans(t *testing.T) {
	t.Parallel()
	d := traytest.StartDesktop(t, traytest.Dark)
	demo := d.Start(t, exec.CommandContext(t.Context(), shipped(t), "demo", "--scenario", "family", "--lapse=false"))
	item := d.Item(t, demo.PID())
	item.WaitMenuContains(t, "Windsurf · ", "Windsurf Next · ", "Antigravity · ")
	d.OpenMenu(t, traytest.Left)
	d.Screenshot(t, "family")
	d.CloseMenu(t)
	lead := func(label string) {
		t.Helper()
		item.Click(t, label)
		item.WaitMenuContains(t, label+"  [x]")
		if n := strings.Count(item.MenuText(t), "[x]"); n != 1 {
			t.Errorf("%d check marks", n)
		}
	}
	lead("Windsurf Next · Pro")
	if tip := item.ToolTip(t); !strings.HasPrefix(tip, "Demo: Windsurf Next · ") {
		t.Errorf("tooltip %q", tip)
	}
	d.OpenMenu(t, traytest.Left)
	d.Screenshot(t, "family_next")
	d.CloseMenu(t)
	item.Click(t, "Quit Windsock (devel)")
	if code := demo.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	leavesNothing(t, &editor{bus: d.Bus})
}
