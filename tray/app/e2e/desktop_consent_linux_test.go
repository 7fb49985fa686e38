package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/probetest"
	"windsock/probe/simulator/cloud"
	"windsock/tray/traytest"
)

// TestDesktopConsent: without an editor the menu offers its figures. The row leads to
// what a person has to know, and two keys later the question comes with the host. Nothing
// is asked before that is answered; then the figures are in the menu, and the row is gone.
func TestDesktopConsent(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "chromium", "xdotool")
	d := traytest.StartDesktop(t, traytest.Light)
	e := signIn(t, d.Bus)
	services, err := cloud.New(cloud.Config{Accounts: []cloud.Account{{Token: testKey, Windsurf: "quota_tight"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := services.Close(); err != nil {
			t.Error(err)
		}
	})
	root := filepath.Join(d.Dir(), "root.pem")
	if err := os.WriteFile(root, services.Root(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := e.command(t)
	cmd.Env = append(cmd.Env, "WINDSOCK_BROWSER="+chromiumOn(t, d), "HTTPS_PROXY="+services.ProxyURL(), "SSL_CERT_FILE="+root)
	app := d.Start(t, cmd)
	item := d.Item(t, app.PID())
	const offer = "Figures without the editor…"
	item.WaitMenuContains(t, offer)

	opensWindow(t, d, item, offer, func() bool { return true })
	d.Still(t)
	d.Screenshot(t, "consent_opened")
	allowed := func() bool {
		text, _ := os.ReadFile(filepath.Join(d.Dir(), "home", ".config", "windsock", "config.toml")) // none before the first change
		return strings.Contains(string(text), "windsurf@server.codeium.com")
	}
	pictures := []string{"consent_question", "consent_allowed"}
	waitFor(t, "the consent", func() bool {
		if !allowed() && len(services.Requests()) > 0 {
			t.Fatalf("asked without consent: %+v", services.Requests())
		}
		d.Xdotool(t, "key", "Tab", "space")
		d.Still(t)
		if len(pictures) > 0 {
			d.Screenshot(t, pictures[0])
			pictures = pictures[1:]
		}
		return soon(allowed)
	})
	item.WaitMenuContains(t, "from server.codeium.com", "Daily quota: 8 % left")
	if menu := item.MenuText(t); strings.Contains(menu, offer) {
		t.Errorf("what is allowed is still offered:\n%s", menu)
	}
	menu := d.OpenMenu(t, traytest.Left)
	picture := d.Screenshot(t, "cloud")
	traytest.Save(t, "cloud_crop", traytest.Crop(picture, menu.Union(d.IconPlace(t)).Inset(-12).Intersect(picture.Bounds())))
	d.CloseMenu(t)
}
