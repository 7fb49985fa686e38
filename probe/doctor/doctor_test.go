package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
	"windsock/probe/system/systemtest"
)

// numbers are ports, which vary from run to run.
var numbers = regexp.MustCompile(`\b[0-9]{4,5}\b`)

// flat is a diagnosis as lines, without what varies from run to run.
func flat(g Diagnosis) string {
	var lines []string
	for _, s := range g.Steps {
		mark := "bad"
		switch {
		case s.OK:
			mark = "ok"
		case s.Absent:
			mark = "absent"
		}
		line := strings.TrimSpace(fmt.Sprintf("%s %s %s: %s. %s", s.Variant, s.Name, mark, s.Finding, s.Cure))
		lines = append(lines, numbers.ReplaceAllString(line, "PORT"))
	}
	return strings.Join(append(lines, strings.TrimSpace(fmt.Sprintf("= %s %s", strings.Join(g.Apps, ", "), say.Code(g.Err)))), "\n") + "\n"
}

func doctorOf(f *probe.Finder) Doctor {
	return Doctor{Version: "1.0", Finder: func() *probe.Finder { return f }}
}

const testKey = "sk-ws-01-test-key"

// finderOf returns a Finder on a system of plain values, with these API keys signed in.
func finderOf(t *testing.T, s system.System, keys ...string) *probe.Finder {
	t.Helper()
	return probe.NewFinder(probe.WithDirs(systemtest.SignIn(t, keys...)), probe.WithSystem(s))
}

const (
	windsurfArgs = "--ide_name windsurf --windsurf_version 1.48.2"
	nextArgs     = "--ide_name windsurf-next"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	works := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, 200, "{}") })
	signedOut := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, 401, `{"code":"unauthenticated"}`) })
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		systemtest.Answer(w, 403, `{"code":"permission_denied","message":"no"}`)
	}))
	t.Cleanup(refuses.Close)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	none := "antigravity process absent: not running.\n"
	start := `windsurf process ok: 100 language_server 1.48.2.
windsurf token ok: in its environment, UUID of 36 characters.
`
	oneKey := "windsurf key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json.\n"
	const agArgs = "--app_data_dir antigravity --override_ide_version 2.3.1 --csrf_token " + systemtest.Token
	quota := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetUserStatus") {
			systemtest.Answer(w, 500, `{"code":"internal"}`)
			return
		}
		systemtest.Answer(w, 200, `{"response":{}}`)
	})
	statusAlone := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetUserStatus") {
			systemtest.Answer(w, 200, `{"userStatus":{}}`)
			return
		}
		http.NotFound(w, r)
	})
	loggedOut := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) {
		systemtest.Answer(w, 500, `{"code":"internal","message":"You are not logged into Antigravity."}`)
	})
	noWindsurf := "windsurf process absent: not running.\n"
	antigravity := `antigravity process ok: 100 language_server 2.3.1.
antigravity token ok: in its flag --csrf_token, UUID of 36 characters.
antigravity ports ok: port PORT, its own.
`
	tests := []struct {
		name string
		lay  func(*systemtest.Fake)
		keys []string
		want string
	}{
		{
			"antigravity_works", func(s *systemtest.Fake) { s.Add(agArgs, quota.URL) },
			[]string{testKey},
			noWindsurf + antigravity + `antigravity handshake ok: port PORT answers over http.
antigravity call ok: RetrieveUserQuotaSummary answered with 15 B.
= Antigravity
`,
		},
		{
			"antigravity_without_a_summary", func(s *systemtest.Fake) { s.Add(agArgs, statusAlone.URL) },
			nil,
			noWindsurf + antigravity + `antigravity handshake ok: port PORT answers over http.
antigravity call ok: GetUserStatus answered with 17 B.
= Antigravity
`,
		},
		{
			"antigravity_signed_out", func(s *systemtest.Fake) { s.Add(agArgs, loggedOut.URL) },
			nil,
			noWindsurf + antigravity + `antigravity handshake ok: port PORT answers over http.
antigravity call bad: Antigravity says that it is not signed in. Sign in to Antigravity, then try again.
=  not_signed_in
`,
		},
		{
			"antigravity_refuses", func(s *systemtest.Fake) { s.Add(agArgs, refuses.URL) },
			nil,
			noWindsurf + antigravity + `antigravity handshake bad: The language server of Antigravity refuses the access token that it was started with. Restart Antigravity and try again.
=  rejected
`,
		},
		{
			"agy_alone", func(s *systemtest.Fake) { s.AddProgram("/usr/local/bin/agy", nil, quota.URL) },
			nil,
			noWindsurf + "antigravity process ok: 100 agy.\n" +
				"antigravity token bad: agy runs, but since version 1.2.2 it keeps its access token to itself. " +
				"Turn on its status line with `windsock antigravity install`, or open the Antigravity app.\n" +
				"antigravity ports ok: port PORT, its own.\n=  no_token\n",
		},
		{
			"both_products", func(s *systemtest.Fake) { s.Add(agArgs, quota.URL); s.Add(windsurfArgs, works.URL) },
			[]string{testKey},
			strings.ReplaceAll(start, "100", "101") + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + antigravity + `antigravity handshake ok: port PORT answers over http.
antigravity call ok: RetrieveUserQuotaSummary answered with 15 B.
= Windsurf, Antigravity
`,
		},
		{
			"works",
			func(s *systemtest.Fake) { s.Add(windsurfArgs, works.URL, other.URL) },
			[]string{testKey},
			start + `windsurf ports ok: ports PORT, PORT, all its own.
windsurf handshake ok: port PORT answers over http (2 were asked).
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf\n",
		},
		{
			"not_running", func(*systemtest.Fake) {},
			nil,
			`windsurf process bad: not running. Start Windsurf (Devin Desktop) and try again.
windsurf key absent: no sign-in was found in this user's files.
windsurf caches absent: nothing is kept of the plan.
antigravity process absent: not running.
=  not_running
`,
		},
		{
			"no_token",
			func(s *systemtest.Fake) {
				s.Add(windsurfArgs, works.URL)
				s.Procs[0].Token, s.Procs[0].TokenErr = secret.Secret{}, errors.New("permission denied")
			},
			[]string{testKey},
			`windsurf process ok: 100 language_server 1.48.2.
windsurf token bad: process 100: permission denied. Run Windsock as the user who started Windsurf, then restart Windsurf and try again.
windsurf ports ok: port PORT, its own.
` + oneKey + none + "=  no_token\n",
		},
		{
			"wrong_token", func(s *systemtest.Fake) { s.Add(windsurfArgs, refuses.URL) },
			[]string{testKey},
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake bad: The language server of Windsurf refuses the access token that it was started with. Restart Windsurf and try again.
` + oneKey + none + "=  rejected\n",
		},
		{
			"no_port_answers", func(s *systemtest.Fake) { s.Add(windsurfArgs, other.URL) },
			nil,
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake bad: port PORT answers with status 404, not as a language server does. If Windsurf has just started, try again in a moment; else restart Windsurf.
windsurf key bad: no sign-in was found in this user's files. Sign in to Windsurf, then try again.
` + none + "=  no_port\n",
		},
		{
			"port_of_another",
			func(s *systemtest.Fake) {
				s.Add(windsurfArgs, works.URL)
				s.Owner = system.ErrNotOwner
			},
			[]string{testKey},
			start + `windsurf ports ok: port PORT; not its own: port PORT.
windsurf handshake bad: port PORT belongs to another process. If Windsurf has just started, try again in a moment; else restart Windsurf.
` + oneKey + none + "=  no_port\n",
		},
		{
			"no_key", func(s *systemtest.Fake) { s.Add(windsurfArgs, works.URL) },
			nil,
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
windsurf key bad: no sign-in was found in this user's files. Sign in to Windsurf, then try again.
` + none + "=  not_signed_in\n",
		},
		{
			"key_refused", func(s *systemtest.Fake) { s.Add(windsurfArgs, signedOut.URL) },
			[]string{testKey},
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call bad: its server knows no account for the stored key. Sign in to Windsurf, then try again.
` + none + "=  not_signed_in\n",
		},
		{
			"one_of_two_variants",
			func(s *systemtest.Fake) { s.Add(windsurfArgs, signedOut.URL); s.Add(nextArgs, works.URL) },
			[]string{testKey, "cog_0123456789"},
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
windsurf key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json; cog_ of 14 characters in $XDG_DATA_HOME/.codeium/config.json.
windsurf call bad: its server knows no account for the stored key. Sign in to Windsurf, then try again.
windsurf-next process ok: 101 language_server.
windsurf-next token ok: in its environment, UUID of 36 characters.
windsurf-next ports ok: port PORT, its own.
windsurf-next handshake ok: port PORT answers over http.
windsurf-next key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json; cog_ of 14 characters in $XDG_DATA_HOME/.codeium/config.json.
windsurf-next call ok: GetUserStatus answered with 2 B, to the key in ~/.codeium/config.json.
antigravity process absent: not running.
= Windsurf Next
`,
		},
		{
			"another_variant_alone", func(s *systemtest.Fake) { s.Add(nextArgs, works.URL) },
			[]string{testKey},
			`windsurf-next process ok: 100 language_server.
windsurf-next token ok: in its environment, UUID of 36 characters.
windsurf-next ports ok: port PORT, its own.
windsurf-next handshake ok: port PORT answers over http.
windsurf-next key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json.
windsurf-next call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf Next\n",
		},
		{
			"twin_without_port", func(s *systemtest.Fake) { s.Add(windsurfArgs, works.URL); s.Add(windsurfArgs) },
			[]string{testKey},
			strings.ReplaceAll(start, "100", "101") + `windsurf ports absent: process 101 listens on no port of this computer.
` + oneKey + start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf\n",
		},
		{
			"parent_of_the_server",
			func(s *systemtest.Fake) {
				s.Add(windsurfArgs)
				s.Add(windsurfArgs, works.URL)
				s.Procs[1].Parent = s.Procs[0].PID
			},
			nil,
			strings.ReplaceAll(start, "100", "101") + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
windsurf key bad: no sign-in was found in this user's files. Sign in to Windsurf, then try again.
windsurf process ok: 100 language_server 1.48.2; it does not listen, its child 101 does.
` + none + "=  not_signed_in\n",
		},
		{
			"child_of_the_server",
			func(s *systemtest.Fake) {
				s.Add(windsurfArgs, works.URL)
				s.Add(windsurfArgs)
				s.Procs[1].Parent = s.Procs[0].PID
			},
			[]string{testKey},
			`windsurf process ok: 101 language_server 1.48.2; it does not listen, its parent 100 does.
` + start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf\n",
		},
		{
			"parent_and_child_are_mute",
			func(s *systemtest.Fake) {
				s.Add(windsurfArgs)
				s.Add(windsurfArgs)
				s.Procs[1].Parent = s.Procs[0].PID
			},
			[]string{testKey},
			strings.ReplaceAll(start, "100", "101") + `windsurf ports bad: process 101 listens on no port of this computer. If Windsurf has just started, try again in a moment; else restart Windsurf.
` + oneKey + start + `windsurf ports bad: process 100 listens on no port of this computer. If Windsurf has just started, try again in a moment; else restart Windsurf.
` + oneKey + none + "=  no_port\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &systemtest.Fake{}
			tt.lay(sys)
			f := finderOf(t, sys, tt.keys...)
			got := doctorOf(f).Examine(t.Context(), probe.Variants())
			if diff := cmp.Diff(tt.want, flat(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// The verdict is discovery's own.
			_, s, err := f.UserStatus(t.Context(), probe.Variants())
			if (err == nil) != got.OK() || err != nil && err.Error() != got.Err.Error() || s != nil && s.Server().App != got.Apps[0] {
				t.Errorf("UserStatus: %v", err)
			}
		})
	}
}

// TestExamineSendsNoMore: if discovery stops before it sends the key, doctor sends
// none, and asks each port once.
func TestExamineSendsNoMore(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"refused": `{"code":"permission_denied"}`, "other_server": "not found"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var handshakes, others atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/GetUnleashData") {
					handshakes.Add(1)
				} else {
					others.Add(1)
				}
				systemtest.Answer(w, http.StatusForbidden, body)
			}))
			t.Cleanup(server.Close)
			sys := &systemtest.Fake{}
			sys.Add(windsurfArgs, server.URL)
			sys.Add("--ide_name antigravity", server.URL)
			doctorOf(finderOf(t, sys, testKey)).Examine(t.Context(), probe.Variants())
			if h, o := handshakes.Load(), others.Load(); h != 1 || o > 0 {
				t.Errorf("%d handshakes, %d calls with a key", h, o)
			}
		})
	}
}

// TestExamineStarting: doctor waits for a starting server, as discovery does.
func TestExamineStarting(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			http.NotFound(w, nil)
			return
		}
		systemtest.Answer(w, 200, "{}")
	}))
	t.Cleanup(server.Close)
	sys := &systemtest.Fake{}
	sys.Add(windsurfArgs, server.URL)
	sys.Procs[0].Starting, sys.Procs[0].Age = true, 3*time.Second
	g := doctorOf(finderOf(t, sys, testKey)).Examine(t.Context(), probe.Variants())
	if !g.OK() || g.Steps[0].Finding != "100 language_server 1.48.2, started 3 s ago" {
		t.Errorf("%v\n%s", g.Err, flat(g))
	}
}

// TestExamineBounded: several silent servers take no longer than one.
func TestExamineBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sys := &silentSystem{}
		for range 3 {
			sys.Add(windsurfArgs, "http://127.0.0.1:1")
		}
		f := finderOf(t, sys, testKey)
		start := time.Now()
		g := doctorOf(f).Examine(t.Context(), probe.Variants())
		if took := time.Since(start); took > 12*time.Second || took == 0 || g.OK() {
			t.Errorf("took %v; %v", took, g.Err)
		}
	})
}

// silentSystem does not return until the context ends.
type silentSystem struct{ systemtest.Fake }

func (*silentSystem) Listeners(ctx context.Context, _ system.Process) ([]netip.AddrPort, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestExamineCannotLook(t *testing.T) {
	t.Parallel()
	f := finderOf(t, &systemtest.Fake{NoProcesses: errors.New("list processes: permission denied")})
	want := " process bad: list processes: permission denied. Try again in a moment.\n=  not_running\n"
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(flat(doctorOf(f).Examine(t.Context(), probe.Variants())))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExamineFigures: an empty response is not a readable plan.
func TestExamineFigures(t *testing.T) {
	t.Parallel()
	server := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, 200, "[]") })
	sys := &systemtest.Fake{}
	sys.Add(windsurfArgs, server.URL)
	d := doctorOf(finderOf(t, sys, testKey))
	useless := errors.New("it is empty. Restart the editor.") //nolint:revive // a sentence, as the doctor is told
	d.Figures = func(string, []byte) (string, error) { return "", useless }
	g := d.Examine(t.Context(), probe.Variants()[:1])
	want := Step{Variant: "windsurf", Name: "figures", Finding: "it is empty", Cure: "Restart the editor.", app: "Windsurf"}
	last := g.Steps[len(g.Steps)-1]
	last.Duration = 0
	if diff := cmp.Diff(want, last, cmp.AllowUnexported(Step{})); diff != "" || !errors.Is(g.Err, useless) {
		t.Errorf("%v (-want +got):\n%s", g.Err, diff)
	}
}

// TestExamineByName: a variant that was asked for by name is told of, and nothing else;
// for Antigravity nothing on the disk is looked at.
func TestExamineByName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"antigravity": "antigravity process bad: not running. Start Antigravity and try again.\n=  not_running\n",
		"windsurf-eu": `windsurf-eu process bad: not running. Start Windsurf EU and try again.
windsurf-eu key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json.
windsurf-eu caches absent: nothing is kept of the plan.
=  not_running
`,
	} {
		v, _ := probe.LookupVariant(id)
		got := doctorOf(finderOf(t, &systemtest.Fake{}, testKey)).Examine(t.Context(), []probe.Variant{v})
		if diff := cmp.Diff(want, flat(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// TestExamineDisk: without a server, doctor reports what is on the disk.
func TestExamineDisk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{
		Key: testKey, PlanInfo: `{"planName":"Teams"}`,
		Rows: []simtest.Row{{Key: "windsurf.reactSettings.cachedPlanInfoData:alice", Value: "x"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := probe.NewFinder(probe.WithDirs(signin.Below(home)), probe.WithSystem(&systemtest.Fake{}))
	want := `windsurf process bad: not running. Start Windsurf (Devin Desktop) and try again.
windsurf key ok: sk-ws-01 of 17 characters in state.vscdb of Windsurf.
windsurf caches ok: cachedPlanInfo of Windsurf; cachedPlanInfoData of Windsurf cannot be read: it is damaged.
=  not_running
`
	if diff := cmp.Diff(want, flat(doctorOf(f).Examine(t.Context(), probe.Variants()[:1]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestForm(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"legacy_uuid":   "UUID of 36 characters",
		"self_serve":    "sk-ws-01 of 102 characters",
		"session_token": "devin-session-token of 70 characters",
		"team_token":    "cog_ of 20 characters",
		"unknown":       "unknown form of 5 characters",
	}
	got := map[string]string{"unknown": form(secret.New("ключ!"))}
	for name, key := range plantedKeys {
		got[name] = form(secret.New(key))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
