package traytest

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// program is this test binary as another program.
func program(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t, self)
	cmd.Env = []string{"TRAYTEST_PROGRAM=" + name}
	return cmd
}

const wantMenu = `453 of 500 credits left  [disabled]
---
Refresh now
Start at login  [x]
Model
  gpt_4  (x)
  swe_1  ( )
`

func TestItemOnBus(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	b.Watch(t, true)
	p := b.Start(t, program(t, "item"))
	item := b.Item(t, p.PID())

	got := []string{item.ID(t), item.Title(t), item.Status(t), item.ToolTip(t)}
	if diff := cmp.Diff([]string{"tiny", "Tiny", "Active", "Tiny\n453 left"}, got); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	icon := item.Icon(t)
	if want := image.Rect(0, 0, 22, 22); icon.Rect != want {
		t.Errorf("icon has %v, want the larger one, %v", icon.Rect, want)
	}
	if got, want := icon.Pix[:4], []byte{0xff, 0x80, 0x10, 128}; !cmp.Equal(got, want) {
		t.Errorf("corner of the icon is %v, want %v", got, want)
	}
	if diff := cmp.Diff(wantMenu, item.MenuText(t)); diff != "" {
		t.Errorf("menu (-want +got):\n%s", diff)
	}
	hidden := MenuEntry{ID: 5, Label: "Nothing to see", Type: "standard", Enabled: true, ToggleState: -1}
	if diff := cmp.Diff(hidden, item.Menu(t)[4]); diff != "" {
		t.Errorf("hidden row (-want +got):\n%s", diff)
	}

	count := item.Signals(t)
	if got := count.Count(t); len(got) > 0 {
		t.Errorf("signals of an idle icon: %v", got)
	}
	item.Click(t, "Refresh now")
	item.Click(t, "swe_1")
	if diff := cmp.Diff(map[string]int{"LayoutUpdated": 4, "NewIcon": 2}, count.Count(t)); diff != "" {
		t.Errorf("signals after two clicks (-want +got):\n%s", diff)
	}
	if got, want := p.Output(), "clicked 3\nclicked 62\n"; got != want {
		t.Errorf("the program saw %q, want %q", got, want)
	}
	if got := item.Signals(t).Count(t); len(got) > 0 {
		t.Errorf("signals in a count that starts after them: %v", got)
	}

	p.Stop()
	item.WaitGone(t)
	wait(t, "see the watcher forget the icon", func() (bool, string) {
		var items []string
		err := b.conn.Object(watcherName, watcherPath).StoreProperty(watcherName+".RegisteredStatusNotifierItems", &items)
		return err == nil && len(items) == 0, fmt.Sprint(items, err)
	})
}

func TestWatcherRestarts(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	w := b.Watch(t, false) // first, or the icon may register with it twice: at its start and when it sees it come
	p := b.Start(t, program(t, "item"))
	b.Item(t, p.PID())
	if b.hostRegistered(t) {
		t.Error("there is a tray, want a watcher alone")
	}
	w.SetHost(t, true)
	if !b.hostRegistered(t) {
		t.Error("there is no tray after SetHost")
	}

	before := w.Registrations()
	w.Stop(t)
	if b.owned(watcherName) {
		t.Error("the watcher is still on the bus")
	}
	w.Start(t)
	item := b.Item(t, p.PID())
	if got := w.Registrations(); got != before+1 {
		t.Errorf("%d registrations, want %d", got, before+1)
	}
	item.WaitMenuContains(t, "453", "swe_1")
}

func (b *Bus) hostRegistered(t *testing.T) bool {
	t.Helper()
	var registered bool
	err := b.conn.Object(watcherName, watcherPath).
		StoreProperty(watcherName+".IsStatusNotifierHostRegistered", &registered)
	if err != nil {
		t.Fatal(err)
	}
	return registered
}

func TestKillEndsBus(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	b.Watch(t, true)
	p := b.Start(t, program(t, "item"))
	b.Item(t, p.PID())
	b.Kill()
	if got := p.Wait(t); got != 3 {
		t.Errorf("exit code %d, want the one for a bus that goes", got)
	}
}

func TestBusStartsNoServices(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	var names []string
	if err := b.conn.BusObject().Call("org.freedesktop.DBus.ListActivatableNames", 0).Store(&names); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"org.freedesktop.DBus"}, names); diff != "" {
		t.Errorf("services that the bus can start (-want +got):\n%s", diff)
	}
}

func TestNotificationsOnBus(t *testing.T) {
	t.Parallel()
	Need(t, "notify-send")
	b := StartBus(t)
	n := b.Notifier(t, "body", "actions")
	p := b.Start(t, command(t, "notify-send",
		"-u", "critical", "-a", "Windsock", "-A", "plan=Manage plan", "Credits are low", "5 of 500 left"))
	want := []Notification{{
		ID: 1, App: "Windsock", Summary: "Credits are low", Body: "5 of 500 left",
		Actions: []string{"plan", "Manage plan"}, Urgency: 2, Timeout: -1,
	}}
	if diff := cmp.Diff(want, b.WaitNotifications(t, 1)); diff != "" {
		t.Errorf("notifications (-want +got):\n%s", diff)
	}
	n.Act(t, 1, "plan")
	p.WaitOutput(t, "plan\n")
}

// TestEnvIsPrivate is not parallel: it changes the environment.
func TestEnvIsPrivate(t *testing.T) {
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	t.Setenv("DISPLAY", ":0")
	t.Setenv("XDG_DATA_DIRS", "/nowhere")
	t.Setenv("GTK_THEME", "Nonesuch")
	t.Setenv("TRAYTEST_KEPT", "yes")
	b := StartBus(t)
	cmd := command(t, "env")
	cmd.Env = []string{"TRAYTEST_OWN=yes"}
	p := b.Start(t, cmd)
	p.Wait(t)
	got := map[string]string{}
	for line := range strings.Lines(p.Output()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "TRAYTEST_"):
		case name == "DISPLAY", name == "WAYLAND_DISPLAY", name == "GTK_THEME", name == "HOME", name == "LANG":
		case name == "DBUS_SESSION_BUS_ADDRESS":
		default:
			continue
		}
		got[name] = strings.ReplaceAll(value, b.Dir(), "DIR")
	}
	want := map[string]string{
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=DIR/run/bus",
		"HOME":                     "DIR/home",
		"LANG":                     "C.UTF-8",
		"TRAYTEST_KEPT":            "yes",
		"TRAYTEST_OWN":             "yes",
		"XDG_CACHE_HOME":           "DIR/home/.cache",
		"XDG_CONFIG_HOME":          "DIR/home/.config",
		"XDG_DATA_HOME":            "DIR/home/.local/share",
		"XDG_RUNTIME_DIR":          "DIR/run",
		"XDG_STATE_HOME":           "DIR/home/.local/state",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(b.Dir(), "run"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("runtime directory: %v, %v", info.Mode(), err)
	}
}
