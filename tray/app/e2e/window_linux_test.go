package e2e

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// fakeBrowser notes the addresses to which the files lead that it is to show.
type fakeBrowser struct{ program, file string }

func newFakeBrowser(t *testing.T, bus *traytest.Bus) fakeBrowser {
	t.Helper()
	b := fakeBrowser{filepath.Join(bus.Dir(), "chromium-of-the-test"), filepath.Join(bus.Dir(), "shown")}
	b.write(t)
	return b
}

// write makes the program.
func (b fakeBrowser) write(t *testing.T) {
	t.Helper()
	script := "#!/bin/sh\nsed -n 's/.*location.replace(\"\\(.*\\)\").*/\\1/p' \"${1#--app=file://}\" >>'" + b.file + "'\n"
	if err := os.WriteFile(b.program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (b fakeBrowser) env() string { return "WINDSOCK_BROWSER=" + b.program }

// shown waits for so many addresses and returns the last one.
func (b fakeBrowser) shown(t *testing.T, n int) *url.URL {
	t.Helper()
	var lines []string
	waitFor(t, "browser", func() bool {
		text, _ := os.ReadFile(b.file) // soon there
		lines = strings.Split(strings.TrimSpace(string(text)), "\n")
		return len(text) > 0 && len(lines) >= n
	})
	address, err := url.Parse(lines[n-1])
	if err != nil || len(lines) > n || !strings.HasSuffix(address.Hostname(), ".localhost") || len(address.Fragment) < 26 {
		t.Fatalf("shown: %q, %v", lines, err)
	}
	return address
}

// enters lets a browser in at an address, and returns what it then sends requests with.
// The page's session ends with ctx.
func enters(ctx context.Context, t *testing.T, address *url.URL) (do func(method, path, body string) *http.Response) {
	t.Helper()
	var session []*http.Cookie
	do = func(method, path, body string) *http.Response {
		// Nobody is asked for the name, which a browser takes to this computer by itself.
		r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+address.Port()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = address.Host
		for _, cookie := range session {
			r.AddCookie(cookie)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	entered := do(http.MethodPost, "/enter", "t="+address.Fragment)
	_ = entered.Body.Close()
	if session = entered.Cookies(); len(session) != 1 {
		t.Fatalf("entered: %s", entered.Status)
	}
	return do
}

// opens checks that the address lets the browser in, and which view is shown. The page
// stays open until the returned function is called.
func opens(t *testing.T, address *url.URL, view string) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	do := enters(ctx, t, address)                   //nolint:bodyclose // it is, below
	stream := do(http.MethodGet, "/api/events", "") //nolint:bodyclose // what is returned does
	hello := do(http.MethodGet, "/api/hello", "")
	text, err := io.ReadAll(hello.Body)
	_ = hello.Body.Close()
	if err != nil || !strings.Contains(string(text), `"view":"`+view+`"`) {
		t.Errorf("hello: %s, %v", text, err)
	}
	return func() {
		cancel()
		_ = stream.Body.Close()
	}
}

// TestWindow: the tray's rows, a second start and `windsock prompt` all lead to
// the running app's window, and `windsock prompt` has one of its own without it.
func TestWindow(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Old: 26, FileSize: 4_000_000}})
	browser := newFakeBrowser(t, bus)
	start := func(args ...string) *traytest.Process {
		cmd := e.command(t, args...)
		cmd.Env = append(cmd.Env, browser.env())
		return bus.Start(t, cmd)
	}
	app := start()
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Quick prompt…", "Clean trajectories… (")

	item.Click(t, "Quick prompt…")
	leave := opens(t, browser.shown(t, 1), "prompt")
	leave()
	second := start()
	if code := second.Wait(t); code != 0 || !strings.Contains(second.Output(), "already running") {
		t.Errorf("second start: exit code %d, %s", code, second.Output())
	}
	leave = opens(t, browser.shown(t, 2), "prompt")
	leave()
	raised := start("prompt", "--view", "usage")
	if code := raised.Wait(t); code != 0 || raised.Output() != "" {
		t.Errorf("prompt: exit code %d, %s", code, raised.Output())
	}
	leave = opens(t, browser.shown(t, 3), "usage")
	defer leave()

	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	host := start("prompt", "--view", "cascades")
	leave = opens(t, browser.shown(t, 4), "cascades")
	other := start("prompt", "--view", "settings")
	if code := other.Wait(t); code != 0 {
		t.Errorf("a second prompt: exit code %d, %s", code, other.Output())
	}
	leaveOther := opens(t, browser.shown(t, 5), "settings")
	leave()
	leaveOther()
	if code := host.Wait(t); code != 0 || host.Output() != "" {
		t.Errorf("the window's end: exit code %d, %s", code, host.Output())
	}
	leavesNothing(t, e)
	tellsNoSecret(t, e, app)
}

// TestWindowByLeftClick: a panel that passes a left click to the program gets the
// usage view. One that asks still learns that it has to open the menu.
func TestWindowByLeftClick(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	e := signIn(t, bus)
	e.start(t, simulator.Config{})
	browser := newFakeBrowser(t, bus)
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, browser.env())
	item := bus.Item(t, bus.Start(t, cmd).PID())
	item.WaitMenuContains(t, lateRows...)
	item.Activate(t)
	opens(t, browser.shown(t, 1), "usage")()
	if !traytest.Property[bool](t, item, "ItemIsMenu") {
		t.Error("the item says that it is no menu")
	}
}
