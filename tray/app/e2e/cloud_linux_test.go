package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// Figures without an editor. The program has no way to be pointed at a simulator: it uses
// the proxy and the root certificates of its environment, as at a company.

const (
	devinHost  = "server.codeium.com"
	cursorHost = "api2.cursor.sh"
	devinToken = "devin-session-token$eyJhbGciOiJub25lIn0.eyJzZXNzaW9uX2lkIjoiZTJlIn0.c2lnbmVk"
)

// cursorToken is a token of Cursor's that ends then; never, if that is zero.
func cursorToken(end time.Time) string {
	payload := map[string]any{"sub": "auth0|user_01E2E", "type": "session"}
	if !end.IsZero() {
		payload["exp"] = end.Unix()
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return err.Error()
	}
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString(text) + ".c2lnbmVk"
}

// alone is a person without a running editor.
type alone struct {
	t         testing.TB
	dir, home string
	services  *cloud.Server
	// ahead is by how much the commands' clock is ahead.
	ahead time.Duration
	// refused is called when the services meet an unknown token.
	refused func()
}

func newAlone(tb testing.TB) *alone {
	tb.Helper()
	return newAloneAt(tb, cloud.Config{})
}

// newAloneAt is newAlone with services of that kind.
func newAloneAt(tb testing.TB, c cloud.Config) *alone {
	tb.Helper()
	a := &alone{t: tb, dir: tb.TempDir(), refused: func() {}}
	a.home = filepath.Join(a.dir, "home")
	for _, dir := range []string{a.home, a.path("run"), a.path("tmp"), a.path("root")} {
		a.check(os.Mkdir(dir, 0o700))
	}
	a.check(os.WriteFile(a.path("pids"), nil, 0o600))
	c.Refused = func() { a.refused() }
	var err error
	a.services, err = cloud.New(c)
	a.check(err)
	tb.Cleanup(func() {
		if err := a.services.Close(); err != nil {
			tb.Error(err)
		}
	})
	a.check(os.WriteFile(a.path("root.pem"), a.services.Root(), 0o600))
	return a
}

func (a *alone) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *alone) path(name string) string { return filepath.Join(a.dir, name) }

// write writes a file below the home directory.
func (a *alone) write(name, text string) {
	a.t.Helper()
	name = filepath.Join(a.home, filepath.FromSlash(name))
	a.check(errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)))
}

const (
	devinFile  = ".local/share/devin/credentials.toml"
	cursorFile = ".config/Cursor/User/globalStorage/state.vscdb"
	cursorAuth = ".config/cursor/auth.json"
	configFile = ".config/windsock/config.toml"
)

// devin signs in with Devin's command line, for a host and its path.
func (a *alone) devin(token, url string) {
	a.t.Helper()
	a.write(devinFile, fmt.Sprintf("windsurf_api_key = %q\napi_server_url = %q\n", token, url))
}

// editor signs in with Windsurf, which has kept older figures.
func (a *alone) editor(token string) {
	a.t.Helper()
	a.check(simtest.SignIn(filepath.Join(a.home, ".config", "Windsurf"), simtest.Auth{
		Key: token, Scenario: "free", Rows: []simtest.Row{{Key: "codeium.windsurf", Value: `{"apiServerUrl":"https://` + devinHost + `"}`}},
	}))
}

// cursor signs in with Cursor.
func (a *alone) cursor(token string) {
	a.t.Helper()
	a.check(simtest.SignIn(filepath.Join(a.home, ".config", "Cursor"), simtest.Auth{Rows: []simtest.Row{{Key: "cursorAuth/accessToken", Value: token}}}))
}

// opens makes the services know an account.
func (a *alone) opens(account cloud.Account) {
	a.t.Helper()
	a.check(a.services.Open(account))
}

// allows writes what the person has allowed.
func (a *alone) allows(sources ...string) {
	a.t.Helper()
	quoted, err := json.Marshal(append([]string{}, sources...))
	a.check(err)
	a.write(configFile, "[cloud]\nallow = "+string(quoted)+"\n")
}

// withDevin is a person who has signed in with Devin's command line and allowed that.
func withDevin(tb testing.TB) *alone {
	tb.Helper()
	a := newAlone(tb)
	a.devin(devinToken, "https://"+devinHost)
	a.opens(cloud.Account{Token: devinToken, Windsurf: "quota_tight"})
	a.allows("devin-cli@" + devinHost)
	return a
}

// withCursor is the same with Cursor.
func withCursor(tb testing.TB, scenario string) *alone {
	tb.Helper()
	a := newAlone(tb)
	token := cursorToken(time.Time{})
	a.cursor(token)
	a.opens(cloud.Account{Token: token, Cursor: scenario})
	a.allows("cursor@" + cursorHost)
	return a
}

// environment is that of all programs of the person.
func (a *alone) environment() []string {
	return []string{
		"HOME=" + a.home, "XDG_RUNTIME_DIR=" + a.path("run"), "TMPDIR=" + a.path("tmp"), "PATH=" + os.Getenv("PATH"), "TZ=UTC", "LANG=C.UTF-8",
		"HTTPS_PROXY=" + a.services.ProxyURL(), "SSL_CERT_FILE=" + a.path("root.pem"), "SSL_CERT_DIR=" + a.path("tmp"),
		pidsFile + "=" + a.path("pids"), testAhead + "=" + a.ahead.String(),
	}
}

// a ran is how a command ended.
type ran struct {
	stdout, stderr string
	code           int
}

// run runs windsock, which sees no editor but those that a test starts.
func (a *alone) run(args ...string) ran {
	a.t.Helper()
	return a.exec("windsock", args...)
}

func (a *alone) exec(program string, args ...string) ran {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = a.environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		a.t.Fatalf("%q: %v", args, errors.Join(err, ctx.Err()))
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// asked checks how often the services were asked, and that no request had anything wrong.
func (a *alone) asked(want int) {
	a.t.Helper()
	requests := a.services.Requests()
	if len(requests) != want {
		a.t.Errorf("%d requests, want %d", len(requests), want)
	}
	for _, r := range requests {
		if r.Violations != nil {
			a.t.Errorf("%s of %s: %q", r.Method, r.Host, r.Violations)
		}
	}
}

// told is what `status --json` told, in a line: its exit code, each plan with the kind of its
// source and what is left in per cent, and the codes of its problems.
func (r ran) told(t *testing.T) string {
	t.Helper()
	var document struct {
		Plans []struct {
			Product string `json:"product"`
			Source  struct {
				Kind  string `json:"kind"`
				Stale bool   `json:"stale"`
			} `json:"source"`
			Meters []struct {
				ID   string   `json:"id"`
				Left *float64 `json:"remaining_percent"`
			} `json:"meters"`
			Problems []struct {
				Code string `json:"code"`
			} `json:"problems"`
		} `json:"plans"`
		Problems []struct {
			Code string `json:"code"`
		} `json:"problems"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &document); err != nil {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	told := []string{fmt.Sprint(r.code)}
	for _, plan := range document.Plans {
		line := plan.Product + " " + plan.Source.Kind
		if plan.Source.Stale {
			line += " stale"
		}
		for _, meter := range plan.Meters {
			if meter.Left != nil {
				line += fmt.Sprintf(" %s=%v", meter.ID, *meter.Left)
			}
		}
		for _, problem := range plan.Problems {
			line += " !" + problem.Code
		}
		told = append(told, line)
	}
	for _, problem := range document.Problems {
		told = append(told, "!"+problem.Code)
	}
	return strings.Join(told, "; ")
}
