package e2e

import (
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// TestDesktopWindow picks "Quick prompt…" in the panel's menu, writes without a
// click into the app window that opens, and sends: a person who knows the keys
// never needs the pointer again. What stands in it is not lost when it is asked for
// while it is minimised.
func TestDesktopWindow(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "chromium", "xdotool")
	d := traytest.StartDesktop(t, traytest.Dark)
	e := signIn(t, d.Bus)
	e.start(t, simulator.Config{Cascade: simulator.Cascade{Turn: "markdown", Idle: 50 * time.Millisecond, Tick: 10 * time.Millisecond}})
	browser := chromiumOn(t, d)
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, "WINDSOCK_BROWSER="+browser, testInterval+"=1h")
	app := d.Start(t, cmd)
	item := d.Item(t, app.PID())
	item.WaitMenuContains(t, append(lateRows, "Quick prompt…")...)

	fetched := e.server.Count()["GetUserStatus"]
	// The text box has the focus from the page's first picture on.
	opensWindow(t, d, item, "Quick prompt…", func() bool { return e.server.Count()["GetUserStatus"] > fetched })
	asked := func(prompts ...string) bool {
		var all []string
		for _, call := range e.server.Calls() {
			if call.RPC == "SendUserCascadeMessage" {
				all = append(all, call.Prompt)
			}
		}
		if !slices.Equal(all, prompts[:min(len(all), len(prompts))]) {
			t.Fatalf("asked %q", all)
		}
		return len(all) == len(prompts)
	}
	d.Screenshot(t, "window_opened")
	d.Xdotool(t, "type", "hello")
	d.Screenshot(t, "window_typed")
	// Until the page has the models there is nothing to send the text to. Once it was
	// sent, the box is empty, and the key does nothing.
	waitFor(t, "the prompt", func() bool {
		d.Xdotool(t, "key", "ctrl+Return")
		return asked("hello")
	})
	d.Still(t)
	d.Screenshot(t, "window")

	// A window that is minimised hands over what stands in it to another one.
	d.Xdotool(t, "type", "half a thought")
	d.Screenshot(t, "window_draft")
	d.Xdotool(t, "getactivewindow", "windowminimize")
	d.Still(t)
	waitFor(t, "a row to open the window with once more", func() bool { return pick(t, d, item, "Quick prompt…") })
	waitFor(t, "the prompt that was begun before", func() bool {
		d.Xdotool(t, "key", "ctrl+Return")
		return asked("hello", "half a thought")
	})
	d.Screenshot(t, "window_again")
}

// chromiumOn is a browser for a desktop, with a profile of its own.
func chromiumOn(t *testing.T, d *traytest.Desktop) string {
	t.Helper()
	profile := filepath.Join(d.Dir(), "profile")
	browser := filepath.Join(d.Dir(), "chromium")
	script := "#!/bin/sh\nexec chromium --no-sandbox --disable-gpu --no-first-run --disable-background-networking" +
		" --disable-component-update --disable-sync --user-data-dir='" + profile + "' \"$@\"\n"
	if err := os.WriteFile(browser, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	// The browser has a separate session, so that it outlives the program that opened
	// it.
	t.Cleanup(func() {
		_ = exec.Command("pkill", "-9", "-f", "user-data-dir="+profile).Run() // none is just as good
		waitFor(t, "the end of the browser", func() bool {
			return exec.Command("pgrep", "-f", "user-data-dir="+profile).Run() != nil
		})
	})
	return browser
}

// opensWindow picks a row, and waits for a window with a page in it.
func opensWindow(t *testing.T, d *traytest.Desktop, item *traytest.Item, row string, ready func() bool) {
	t.Helper()
	before := d.Still(t)
	waitFor(t, "a row to open the window with", func() bool { return pick(t, d, item, row) })
	// Before the page is there, the window has the colours of its frame alone.
	waitFor(t, "a page that asks for its content", ready)
	waitFor(t, "a window with the page in it", func() bool {
		screen := d.Screen(t)
		window := traytest.Changed(before, screen)
		return window.Dx() > 300 && window.Dy() > 300 && shades(screen, window.Intersect(image.Rect(0, 120, 2000, 2000))) > 30
	})
}

// shades counts the colours of a part of a picture.
func shades(picture *image.NRGBA, part image.Rectangle) int {
	seen := map[color.NRGBA]bool{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			seen[picture.NRGBAAt(x, y)] = true
		}
	}
	return len(seen)
}
