package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator/account"
	simulated "windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system/systemtest"
	"windsock/usage"
	"windsock/usage/poll"
)

// The tokens of the tests' sign-ins.
const (
	editorToken = "devin-session-token$editor"
	cliToken    = "devin-session-token$cli"
	cursorToken = "e30.eyJzdWIiOiJhdXRoMHx1c2VyX3BsYW50ZWQifQ.planted" // of auth0|user_planted
	// otherCursorToken is of auth0|user_other.
	otherCursorToken = "e30.eyJzdWIiOiJhdXRoMHx1c2VyX290aGVyIn0.planted"
)

// The sign-ins, as the settings allow them.
const (
	allowEditor = "windsurf@server.codeium.com"
	allowCLI    = "devin-cli@server.codeium.com"
	allowCursor = "cursor@api2.cursor.sh"
)

// cloudBench is a person's program and the makers' services.
type cloudBench struct {
	parts

	tb      testing.TB
	service *simulated.Server
	servers systemtest.Fake
	salt    func(context.Context) ([]byte, error)
	// ahead is how far its clock is past noon.
	ahead atomic.Int64
}

// newCloudBench is a bench whose person has allowed these sign-ins. Editor and cli are
// whose Windsurf's sign-ins are, "" for nobody; Cursor has a sign-in in any case.
func newCloudBench(tb testing.TB, editor, cli account.Person, allow ...string) *cloudBench {
	tb.Helper()
	home := tb.TempDir()
	b := &cloudBench{tb: tb}
	now := func() time.Time {
		return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Load()))
	}
	var err error
	b.service, err = simulated.New(simulated.Config{Now: now, Accounts: []simulated.Account{{Token: cursorToken, Cursor: "individual"}}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = b.service.Close() })
	b.parts = parts{
		newFinder: func(options ...probe.Option) *probe.Finder {
			return probe.NewFinder(append(options, probe.WithDirs(signin.Below(home)), probe.WithSystem(&b.servers))...)
		},
		signIns: func() signin.Dirs {
			if len(allow) == 0 {
				tb.Error("sign-ins are looked for")
			}
			return signin.Below(home)
		},
		settings: configAt(filepath.Join(home, "config.toml")), stateDir: filepath.Join(home, "state"),
		serverNow: now, clock: now, speed: 1, cloud: b.service.Transport(), demo: true,
	}
	b.allow(allow...)
	store := b.history(nil)
	tb.Cleanup(func() { _ = store.Close() })
	b.salt = store.Salt
	if editor != "" {
		b.signIn(editorToken, editor)
	}
	if cli != "" {
		b.signInCLI(cliToken, cli)
	}
	writeIn(b.tb, home, ".config/cursor/auth.json", fmt.Sprintf(`{"accessToken":%q}`, cursorToken))
	return b
}

func (b *cloudBench) home() string { return filepath.Dir(b.settings.Path) }

// signIn signs a person in to Windsurf.
func (b *cloudBench) signIn(token string, who account.Person) {
	b.tb.Helper()
	err := simtest.SignIn(filepath.Join(b.home(), ".config", "Windsurf"), simtest.Auth{
		Key: token, Scenario: "quota_fresh", Account: who,
		Rows: []simtest.Row{{Key: "codeium.windsurf", Value: `{"apiServerUrl":"https://server.codeium.com"}`}},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
	b.open(simulated.Account{Token: token, Windsurf: "quota_tight", Owner: who})
}

// signInCLI signs a person in to Devin's command line.
func (b *cloudBench) signInCLI(token string, who account.Person) {
	b.tb.Helper()
	writeIn(b.tb, b.home(), ".local/share/devin/credentials.toml",
		fmt.Sprintf("windsurf_api_key = %q\napi_server_url = \"https://server.codeium.com\"\n", token))
	b.open(simulated.Account{Token: token, Windsurf: "quota_tight", Owner: who})
}

func (b *cloudBench) open(a simulated.Account) {
	b.tb.Helper()
	if err := b.service.Open(a); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) fail(fault simulated.Fault) {
	b.tb.Helper()
	if err := b.service.Fail(fault, ""); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) allow(names ...string) {
	b.tb.Helper()
	text := ""
	if len(names) > 0 {
		text = "[cloud]\nallow = [\"" + strings.Join(names, "\", \"") + "\"]\n"
	}
	if err := os.WriteFile(b.settings.Path, []byte(text), 0o600); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) wait(d time.Duration) { b.ahead.Add(int64(d)) }

// once is what a command asks for.
var once = poll.Ask{Products: []usage.Product{usage.Windsurf, usage.Cursor}, Why: poll.WhyOnce}

// fetch is a line for each reading: of what, from where, how old and why not. Editors that
// do not run beside an answer have one line together.
func (b *cloudBench) fetch(ask poll.Ask) string {
	b.tb.Helper()
	var lines []string
	for _, r := range b.fetching(b.salt)(b.tb.Context(), ask) {
		line := strings.Join([]string{string(r.Product), string(r.Kind), r.Variant, r.Host}, " ")
		switch {
		case r.At.IsZero() && r.Raw != nil:
			line += " now"
		case r.Raw != nil:
			line += " " + b.serverNow().Sub(r.At).String()
		}
		if r.Err != nil {
			line += " " + say.Code(r.Err)
		}
		if len(lines) > 0 && say.Code(r.Err) == "not_running" {
			line = "others not_running"
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(slices.Compact(lines), "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// asked are the calls that came to the services, since the last look.
func (b *cloudBench) asked(before *int) string {
	b.tb.Helper()
	var calls []string
	all := b.service.Requests()
	for _, r := range all[*before:] {
		calls = append(calls, r.Method)
		if len(r.Violations) > 0 {
			b.tb.Errorf("%s: %v", r.Method, r.Violations)
		}
	}
	*before = len(all)
	return strings.Join(calls, " ")
}

// runs lets Windsurf run, with a server that answers so.
func (b *cloudBench) runs(status int, body string) {
	b.tb.Helper()
	server := systemtest.Serve(b.tb, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, status, body) })
	b.servers.Add("--ide_name windsurf", server.URL)
}
