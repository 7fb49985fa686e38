package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/probe/simulator/cloud"
	"windsock/tray/traytest"
)

// The app shows the figures of a service while no editor runs, asks it once, and leaves it
// alone while an editor answers.
func TestTrayOfService(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	a := withDevin(t)
	e := signIn(t, bus)
	home := filepath.Join(bus.Dir(), "home")
	for _, file := range []string{devinFile, configFile} {
		to := filepath.Join(home, filepath.Dir(file))
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", `mkdir -p "$2" && cp "$1" "$2"`, "sh", filepath.Join(a.home, file), to).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, "HTTPS_PROXY="+a.services.ProxyURL(), "SSL_CERT_FILE="+a.path("root.pem"))
	app := bus.Start(t, cmd)
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, "Daily quota: 8 % left", "Extra usage: $12.50 left")
	a.asked(1)

	e.start(t, simulator.Config{})
	item.WaitMenuContains(t, "453 of 500 left")
	e.quit(t)
	// What the service said is kept; it is not asked again for the sake of this.
	item.WaitMenuContains(t, "Daily quota: 8 % left")
	a.asked(1)

	// Denied, it is at an end at once, also its figures.
	windsock := func(args ...string) {
		t.Helper()
		cmd := e.command(t, args...)
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR="+filepath.Join(bus.Dir(), "run"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("windsock %q: %v: %s", args, err, out)
		}
	}
	windsock("cloud", "deny", "devin-cli")
	item.WaitMenu(t, func(text string) bool { return !strings.Contains(text, "8 % left") })
	windsock("cloud", "allow", "devin-cli", "--yes")
	item.WaitMenuContains(t, "Daily quota: 8 % left")
	a.asked(2)

	item.Click(t, "Quit Windsock (devel)")
	if code := app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	leavesNothing(t, e)
	if output := app.Output(); strings.Contains(output, devinToken) {
		t.Errorf("tells the token: %s", output)
	}
}

// TestDemoServicesOnDesktop shows figures without an editor, by the program as it is built
// for people.
func TestDemoServicesOnDesktop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scenario string
		menu     []string
	}{
		{"cloud", []string{"Demo: all figures are made up", "Daily quota: 8 % left", "Weekly quota: 12 % left"}},
		{"cursor", []string{"Demo: all figures are made up", "Cursor models: 77 % left", "Other models: 37 % left"}},
	} {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			d := traytest.StartDesktop(t, traytest.Dark)
			services, err := cloud.New(cloud.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer services.Close()
			cmd := exec.CommandContext(t.Context(), shipped(t), "demo", "--scenario", tt.scenario)
			cmd.Env = append(cmd.Env, "HTTPS_PROXY="+services.ProxyURL())
			demo := d.Start(t, cmd)
			item := d.Item(t, demo.PID())
			item.WaitMenuContains(t, tt.menu...)
			place := d.IconPlace(t)
			menu := d.OpenMenu(t, traytest.Left)
			picture := d.Screenshot(t, "demo_"+tt.scenario)
			traytest.Save(t, "demo_"+tt.scenario+"_crop", traytest.Crop(picture, menu.Union(place).Inset(-12).Intersect(picture.Bounds())))
			d.CloseMenu(t)
			item.Click(t, "Quit Windsock (devel)")
			if code := demo.Wait(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if asked := services.Asked(); asked != nil {
				t.Errorf("the demo has asked the environment's proxy for %q", asked)
			}
			leavesNothing(t, &editor{bus: d.Bus})
		})
	}
}
