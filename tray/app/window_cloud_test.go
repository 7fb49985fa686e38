package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/tray/settings"
	"windsock/tray/window"
)

// consenting is a person with the sign-in of Devin's command line for a host.
type consenting struct {
	windowCloud

	t    *testing.T
	home string
}

func newConsenting(t *testing.T) consenting {
	t.Helper()
	home := t.TempDir()
	dirs := signin.Below(home)
	dirs.OS = "linux"
	now := func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }
	p := parts{
		signIns: func() signin.Dirs { return dirs }, settings: configAt(filepath.Join(home, settings.Name)),
		stateDir: filepath.Join(home, "state"), clock: now, serverNow: now,
	}
	return consenting{windowCloud{p.choices}, t, home}
}

func (c consenting) write(path, content string) {
	c.t.Helper()
	path = filepath.Join(c.home, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		c.t.Fatal(err)
	}
}

func (c consenting) signIn(url string) {
	c.t.Helper()
	c.write(".local/share/devin/credentials.toml", "windsurf_api_key = 'devin-session-token$x'\napi_server_url = '"+url+"'\n")
}

// devin is Devin's command line, with the first paragraph of its wording alone.
func (c consenting) devin() window.SignIn {
	c.t.Helper()
	for _, s := range c.SignIns() {
		if s.Name == "devin-cli" {
			s.Wording = s.Wording[:1]
			return s
		}
	}
	c.t.Fatal("it is not listed")
	return window.SignIn{}
}

// allowed is the list in the settings.
func (c consenting) allowed() []string {
	c.t.Helper()
	file, err := configAt(filepath.Join(c.home, settings.Name)).Load()
	if err != nil {
		c.t.Fatal(err)
	}
	return file.Cloud.Allow
}

func TestWindowCloud(t *testing.T) {
	t.Parallel()
	c := newConsenting(t)
	if got := c.devin(); got.There || got.Allowed || got.Host != "" || got.State != "off" {
		t.Errorf("before there is a sign-in: %+v", got)
	}
	c.signIn("https://eu.windsurf.com/_route/api_server")
	const file = "~/.local/share/devin/credentials.toml"
	listed := c.devin()
	if listed.File != file || !listed.There || listed.Host != "" || strings.Contains(listed.Wording[0], "eu.windsurf.com") {
		t.Errorf("listed: %+v", listed)
	}
	offer, err := c.Offer(t.Context(), "devin-cli")
	if err != nil || offer.Host != "eu.windsurf.com" || !strings.Contains(strings.Join(offer.Wording, "\n"), "over https to eu.windsurf.com") {
		t.Fatalf("offered: %+v, %v", offer, err)
	}
	if got := c.allowed(); len(got) > 0 {
		t.Errorf("an offer has allowed %v", got)
	}
	if err := c.Allow(t.Context(), "devin-cli", "eu.windsurf.com"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"devin-cli@eu.windsurf.com"}, c.allowed()); diff != "" {
		t.Errorf("allowed (-want +got):\n%s", diff)
	}
	// What was kept of it is told, and forgotten with the consent.
	const keptFile = "state/cloud-devin-cli.json"
	c.write(keptFile, `{"of":"eu.windsurf.com","asked":"2026-11-23T11:50:00Z","at":"2026-11-23T11:40:00Z","answer":{},"failed":{"code":"offline","what":"eu.windsurf.com cannot be reached","cure":"Wait.","times":1}}`)
	want := window.SignIn{
		Name: "devin-cli", App: "Devin CLI", File: file, Host: "eu.windsurf.com", There: true, Allowed: true, Wording: offer.Wording[:1],
		State: "offline", Failed: "eu.windsurf.com cannot be reached. Wait.", Figures: time.Date(2026, 11, 23, 11, 40, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, c.devin()); diff != "" {
		t.Errorf("after a failure (-want +got):\n%s", diff)
	}
	if err := c.Deny("devin-cli"); err != nil {
		t.Fatal(err)
	}
	if got := c.allowed(); len(got) > 0 {
		t.Errorf("still allowed: %v", got)
	}
	if _, err := os.Stat(filepath.Join(c.home, keptFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the figures are still there: %v", err)
	}
}

// A page allows no host but the one that the sign-in names now, and that Windsock knows.
func TestWindowCloudRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, url, host, code, part string }{
		{"host_has_changed", "devin-cli", "https://server.codeium.com", "eu.windsurf.com", "host_not_allowed", "is used at server.codeium.com now, so nothing was allowed"},
		{"host_of_a_stranger", "devin-cli", "https://portal.example/_route/api_server", "portal.example", "host_not_allowed", "`windsock cloud allow devin-cli@portal.example`"},
		{"no_host", "devin-cli", "http://eu.windsurf.com/_route/api_server", "eu.windsurf.com", "host_not_allowed", ""},
		{"another_host_for_cursor", "cursor", "https://eu.windsurf.com/_route/api_server", "eu.windsurf.com", "host_not_allowed", "is used at api2.cursor.sh now, so nothing was allowed"},
		{"nobody", "vim", "https://eu.windsurf.com/_route/api_server", "eu.windsurf.com", "no_source", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newConsenting(t)
			c.signIn(tt.url)
			err := c.Allow(t.Context(), tt.source, tt.host)
			if say.Code(err) != tt.code || !strings.Contains(say.Sentence(err, ""), tt.part) {
				t.Errorf("%q: %s", say.Code(err), say.Sentence(err, ""))
			}
			if got := c.allowed(); len(got) > 0 {
				t.Errorf("allowed %v", got)
			}
		})
	}
}
