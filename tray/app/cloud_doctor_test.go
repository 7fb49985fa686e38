package app

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe"
	"windsock/probe/doctor"
	"windsock/probe/say"
	"windsock/probe/signin"
)

// cloudParts are the parts of a person with such settings, a sign-in of Devin's command
// line at eu.windsurf.com, and one of Cursor that ends in two days.
func cloudParts(t *testing.T, now time.Time, allow string) parts {
	t.Helper()
	home := t.TempDir()
	writeIn(t, home, ".local/share/devin/credentials.toml", "windsurf_api_key = 'devin-session-token$secret'\napi_server_url = 'https://eu.windsurf.com/_route/api_server'\n")
	claims := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"sub":"auth0|user_1","exp":%d}`, now.Add(48*time.Hour).Unix()))
	writeIn(t, home, ".config/cursor/auth.json", `{"accessToken":"eyJhbGciOiJub25lIn0.`+claims+`.secret"}`)
	writeIn(t, home, "config.toml", "[cloud]\nallow = ["+allow+"]\n")
	for _, file := range []string{".local/share/devin/credentials.toml", ".config/cursor/auth.json"} {
		if err := os.Chtimes(filepath.Join(home, file), now.Add(-3*time.Hour), now.Add(-3*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return parts{
		settings: configAt(filepath.Join(home, "config.toml")), stateDir: home, signIns: func() signin.Dirs { return signin.Below(home) },
		clock: func() time.Time { return now }, serverNow: func() time.Time { return now },
	}
}

func TestCheckCloud(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second) // a token has to be valid still
	ago := func(d time.Duration) string { return now.Add(-d).UTC().Format(time.RFC3339) }
	const (
		cursor = "cursor may be asked at api2.cursor.sh"
		signIn = "; its sign-in is in ~/.config/cursor/auth.json (JWT, written 3h ago, ends in 2d)"
		answer = `"answer":{"secret":1}`
		failed = `"failed":{"code":"offline","what":"api2.cursor.sh cannot be reached","cure":"Check the connection.","times":2}`
	)
	one := func(ok bool, finding, cure string) []doctor.Step {
		return []doctor.Step{{Name: "cloud", OK: ok, Finding: finding, Cure: cure}}
	}
	tests := []struct {
		name, allow, kept string
		want              []doctor.Step
	}{
		{"nothing_allowed", "", `{"asked":"` + ago(time.Hour) + `"}`, one(true, "nothing may be asked over the internet, and no sign-in was opened for that; `windsock cloud` lists what could be", "")},
		{"not_asked", `"cursor@api2.cursor.sh"`, "", one(true, cursor+signIn+"; not asked yet", "")},
		{"answered", `"cursor@api2.cursor.sh"`, `{"asked":"` + ago(8*time.Minute) + `","at":"` + ago(8*time.Minute) + `",` + answer + `}`, one(true, cursor+signIn+"; last answer 8m ago", "")},
		{"under_way", `"cursor@api2.cursor.sh"`, `{"asking":"` + ago(8*time.Minute) + `"}`, one(true, cursor+signIn+"; asked 8m ago, without a result yet", "")},
		{
			"failed", `"cursor@api2.cursor.sh"`, `{"asked":"` + ago(8*time.Minute) + `","at":"` + ago(2*time.Hour) + `",` + answer + "," + failed + `}`,
			one(false, cursor+signIn+"; no answer 8m ago (offline): api2.cursor.sh cannot be reached; last answer 2h ago", "Check the connection."),
		},
		{"nobody_signed_in", `"windsurf@server.codeium.com"`, "", one(false, "windsurf may be asked at server.codeium.com; not asked yet; Windsurf (Devin Desktop) is not signed in", "Sign in to Windsurf (Devin Desktop), then try again.")},
		{
			"host_has_changed", `"devin-cli@server.codeium.com"`, "",
			one(false, "devin-cli may be asked at server.codeium.com; its sign-in is in ~/.local/share/devin/credentials.toml (session token, written 3h ago); not asked yet; its sign-in is for another host now", "`windsock cloud allow devin-cli` shows that host, and asks."),
		},
		{"two", `"cursor@api2.cursor.sh", "devin-cli@eu.windsurf.com"`, "", []doctor.Step{
			{Name: "cloud", OK: true, Finding: "devin-cli may be asked at eu.windsurf.com; its sign-in is in ~/.local/share/devin/credentials.toml (session token, written 3h ago); not asked yet"},
			{Name: "cloud", OK: true, Finding: cursor + signIn + "; not asked yet"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := cloudParts(t, now, tt.allow)
			writeKept(t, p, "cursor", "api2.cursor.sh", tt.kept)
			if diff := cmp.Diff(tt.want, p.checkCloud(t.Context()), cmpopts.IgnoreUnexported(doctor.Step{}), cmpopts.IgnoreFields(doctor.Step{}, "Duration")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCloudBeside: who has told of a plan over the internet a short time ago, and why nobody has.
func TestCloudBeside(t *testing.T) {
	t.Parallel()
	now := time.Now()
	all := probe.Variants()
	windsurf, ok := probe.LookupVariant("windsurf")
	if !ok {
		t.Fatal("no windsurf")
	}
	answered := func(ago time.Duration) string {
		at := now.Add(-ago).UTC().Format(time.RFC3339)
		return `{"asked":"` + at + `","at":"` + at + `","answer":{}}`
	}
	const both = `"windsurf@server.codeium.com", "cursor@api2.cursor.sh"`
	tests := []struct {
		name, allow, windsurf, cursor string
		list                          []probe.Variant
		app, code                     string
	}{
		{"not_asked", both, "", "", all, "", ""},
		{"cursor", both, "", answered(time.Minute), all, "Cursor", ""},
		{"both", both, answered(time.Minute), answered(time.Minute), all, "Windsurf (Devin Desktop)", ""},
		{"too_long_ago", both, answered(time.Hour), "", all, "", ""},
		{"not_allowed", "", answered(time.Minute), answered(time.Minute), all, "", ""},
		{"another_was_named", both, "", answered(time.Minute), []probe.Variant{windsurf}, "", ""},
		{"was_named", both, answered(time.Minute), "", []probe.Variant{windsurf}, "Windsurf (Devin Desktop)", ""},
		{"failed_since", both, "", `{"failed":{"code":"offline"},` + answered(time.Minute)[1:], all, "", "offline"},
		{"other_failed", both, answered(time.Minute), `{"failed":{"code":"offline"}}`, all, "Windsurf (Devin Desktop)", ""},
		{"other_failed_first", both, `{"failed":{"code":"offline"}}`, answered(time.Minute), all, "Cursor", ""},
		{"both_failed", both, `{"failed":{"code":"refused"}}`, `{"failed":{"code":"offline"}}`, all, "", "refused"},
		{"another_failed", both, "", `{"failed":{"code":"offline"}}`, []probe.Variant{windsurf}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := cloudParts(t, now, tt.allow)
			writeKept(t, p, "windsurf", "server.codeium.com", tt.windsurf)
			writeKept(t, p, "cursor", "api2.cursor.sh", tt.cursor)
			if app, err := p.cloudBeside(tt.list); app != tt.app || say.Code(err) != tt.code {
				t.Errorf("%q, %v; want %q, %q", app, err, tt.app, tt.code)
			}
		})
	}
}

// writeKept writes what is kept of a source at a host, an object or nothing.
func writeKept(t *testing.T, p parts, source, host, kept string) {
	t.Helper()
	if members, ok := strings.CutPrefix(kept, "{"); ok {
		kept = `{"of":"` + host + `",` + members
	}
	writeIn(t, p.stateDir, "cloud-"+source+".json", kept)
}
