package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/secret"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
)

// numbers are ports, which no test knows beforehand.
var numbers = regexp.MustCompile(`\b[0-9]{4,5}\b`)

// flat is a diagnosis as lines, without what differs from run to run.
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
	var code Code
	if failure, ok := errors.AsType[*Failure](g.Err); ok {
		code = failure.code
	}
	return strings.Join(append(lines, strings.TrimSpace(fmt.Sprintf("= %s %s", g.App, code))), "\n") + "\n"
}

func doctorOf(f *Finder) Doctor {
	return Doctor{Version: "1.0", Finder: func() *Finder { return f }}
}

const (
	windsurfArgs = "--ide_name windsurf --windsurf_version 1.48.2"
	nextArgs     = "--ide_name windsurf-next"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	works := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	signedOut := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 401, `{"code":"unauthenticated"}`) })
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 403, `{"code":"permission_denied","message":"no"}`)
	}))
	t.Cleanup(refuses.Close)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	none := "windsurf-next process absent: not running.\nwindsurf-insiders process absent: not running.\n"
	start := `windsurf process ok: 100 language_server 1.48.2.
windsurf token ok: in its environment, UUID of 36 characters.
`
	oneKey := "windsurf key ok: sk-ws-01 of 17 characters in ~/.codeium/config.json.\n"
	tests := []struct {
		name string
		lay  func(*fakeSystem)
		keys []string
		want string
	}{
		{
			"works",
			func(s *fakeSystem) { s.add(windsurfArgs, works.URL, other.URL) },
			[]string{testKey},
			start + `windsurf ports ok: ports PORT, PORT, all its own.
windsurf handshake ok: port PORT answers over http (2 were asked).
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf\n",
		},
		{
			"not_running", func(*fakeSystem) {},
			nil,
			`windsurf process bad: not running. Start Windsurf and try again.
windsurf key absent: no sign-in was found in this user's files.
windsurf caches absent: nothing is kept of the plan.
windsurf-next process absent: not running.
windsurf-next key absent: no sign-in was found in this user's files.
windsurf-next caches absent: nothing is kept of the plan.
windsurf-insiders process absent: not running.
windsurf-insiders key absent: no sign-in was found in this user's files.
windsurf-insiders caches absent: nothing is kept of the plan.
=  not_running
`,
		},
		{
			"no_token",
			func(s *fakeSystem) {
				s.add(windsurfArgs, works.URL)
				s.procs[0].Token, s.procs[0].TokenErr = secret.Secret{}, errors.New("permission denied")
			},
			[]string{testKey},
			`windsurf process ok: 100 language_server 1.48.2.
windsurf token bad: process 100: permission denied. Run Windsock as the user who started Windsurf, then restart Windsurf and try again.
windsurf ports ok: port PORT, its own.
` + oneKey + none + "=  no_token\n",
		},
		{
			"wrong_token", func(s *fakeSystem) { s.add(windsurfArgs, refuses.URL) },
			[]string{testKey},
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake bad: The language server of Windsurf refuses the access token that it was started with. Restart Windsurf and try again.
` + oneKey + none + "=  rejected\n",
		},
		{
			"no_port_answers", func(s *fakeSystem) { s.add(windsurfArgs, other.URL) },
			nil,
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake bad: port PORT answers with status 404, not as a language server does. If Windsurf has just started, try again in a moment; else restart Windsurf.
windsurf key bad: no sign-in was found in this user's files. Sign in to Windsurf, then try again.
` + none + "=  no_port\n",
		},
		{
			"port_of_another",
			func(s *fakeSystem) {
				s.add(windsurfArgs, works.URL)
				s.owner = system.ErrNotOwner
			},
			[]string{testKey},
			start + `windsurf ports ok: port PORT; not its own: port PORT.
windsurf handshake bad: port PORT belongs to another process. If Windsurf has just started, try again in a moment; else restart Windsurf.
` + oneKey + none + "=  no_port\n",
		},
		{
			"no_key", func(s *fakeSystem) { s.add(windsurfArgs, works.URL) },
			nil,
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
windsurf key bad: no sign-in was found in this user's files. Sign in to Windsurf, then try again.
` + none + "=  not_signed_in\n",
		},
		{
			"key_refused", func(s *fakeSystem) { s.add(windsurfArgs, signedOut.URL) },
			[]string{testKey},
			start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call bad: its server knows no account for the stored key. Sign in to Windsurf, then try again.
` + none + "=  not_signed_in\n",
		},
		{
			"one_of_two_variants",
			func(s *fakeSystem) { s.add(windsurfArgs, signedOut.URL); s.add(nextArgs, works.URL) },
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
windsurf-insiders process absent: not running.
= Windsurf Next
`,
		},
		{
			"twin_without_port", func(s *fakeSystem) { s.add(windsurfArgs, works.URL); s.add(windsurfArgs) },
			[]string{testKey},
			strings.ReplaceAll(start, "100", "101") + `windsurf ports absent: process 101 listens on no port of this computer.
` + oneKey + start + `windsurf ports ok: port PORT, its own.
windsurf handshake ok: port PORT answers over http.
` + oneKey + `windsurf call ok: GetUserStatus answered with 2 B.
` + none + "= Windsurf\n",
		},
		{
			"parent_of_the_server",
			func(s *fakeSystem) {
				s.add(windsurfArgs)
				s.add(windsurfArgs, works.URL)
				s.procs[1].Parent = s.procs[0].PID
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
			func(s *fakeSystem) {
				s.add(windsurfArgs, works.URL)
				s.add(windsurfArgs)
				s.procs[1].Parent = s.procs[0].PID
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
			func(s *fakeSystem) {
				s.add(windsurfArgs)
				s.add(windsurfArgs)
				s.procs[1].Parent = s.procs[0].PID
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
			sys := &fakeSystem{}
			tt.lay(sys)
			f := sys.finder(t, tt.keys...)
			got := doctorOf(f).Examine(t.Context(), Variants())
			if diff := cmp.Diff(tt.want, flat(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// The verdict is discovery's own.
			_, s, err := f.UserStatus(t.Context(), Variants())
			if (err == nil) != got.OK() || err != nil && err.Error() != got.Err.Error() || s != nil && s.Server().App != got.App {
				t.Errorf("UserStatus: %v", err)
			}
		})
	}
}

// TestExamineSendsNoMore: where discovery stops before the key is sent, none is.
func TestExamineSendsNoMore(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	leak := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/GetUnleashData") {
			asked.Add(1)
		}
		answer(w, 403, `{"code":"permission_denied"}`)
	}))
	t.Cleanup(leak.Close)
	sys := &fakeSystem{}
	sys.add(windsurfArgs, leak.URL)
	sys.add("--ide_name antigravity", leak.URL)
	doctorOf(sys.finder(t, testKey)).Examine(t.Context(), Variants())
	if n := asked.Load(); n > 0 {
		t.Errorf("%d calls with a key", n)
	}
}

// TestExamineStarting: a server that starts up is waited for, as in discovery.
func TestExamineStarting(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			http.NotFound(w, nil)
			return
		}
		answer(w, 200, "{}")
	}))
	t.Cleanup(server.Close)
	sys := &fakeSystem{}
	sys.add(windsurfArgs, server.URL)
	sys.procs[0].Starting, sys.procs[0].Age = true, 3*time.Second
	g := doctorOf(sys.finder(t, testKey)).Examine(t.Context(), Variants())
	if !g.OK() || g.Steps[0].Finding != "100 language_server 1.48.2, started 3 s ago" {
		t.Errorf("%v\n%s", g.Err, flat(g))
	}
}

// TestExamineBounded: servers that say nothing take the time of one.
func TestExamineBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sys := &silentSystem{}
		for range 3 {
			sys.add(windsurfArgs, "http://127.0.0.1:1")
		}
		f := sys.finder(t, testKey)
		f.system = sys
		start := time.Now()
		g := doctorOf(f).Examine(t.Context(), Variants())
		if took := time.Since(start); took > answerTimeout || took == 0 || g.OK() {
			t.Errorf("took %v; %v", took, g.Err)
		}
	})
}

// silentSystem says nothing until nobody waits for it any more.
type silentSystem struct{ fakeSystem }

func (*silentSystem) Listeners(ctx context.Context, _ system.Process) ([]netip.AddrPort, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestExamineCannotLook(t *testing.T) {
	t.Parallel()
	f := NewFinder(WithHome(t.TempDir()))
	f.system = &deafSystem{err: errors.New("list processes: permission denied")}
	want := " process bad: list processes: permission denied. Try again in a moment.\n=  not_running\n"
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(flat(doctorOf(f).Examine(t.Context(), Variants())))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExamineFigures: an answer that holds nothing is no plan that can be read.
func TestExamineFigures(t *testing.T) {
	t.Parallel()
	server := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "[]") })
	sys := &fakeSystem{}
	sys.add(windsurfArgs, server.URL)
	d := doctorOf(sys.finder(t, testKey))
	useless := errors.New("it is empty. Restart the editor.") //nolint:revive // a sentence, as the doctor is told
	d.Figures = func([]byte) (string, error) { return "", useless }
	g := d.Examine(t.Context(), Variants()[:1])
	want := Step{Variant: "windsurf", Name: "figures", Finding: "it is empty", Cure: "Restart the editor.", app: "Windsurf"}
	last := g.Steps[len(g.Steps)-1]
	last.Duration = 0
	if diff := cmp.Diff(want, last, cmp.AllowUnexported(Step{})); diff != "" || !errors.Is(g.Err, useless) {
		t.Errorf("%v (-want +got):\n%s", g.Err, diff)
	}
}

// TestExamineDisk: without a server, what lies on the disk is told.
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
	f := NewFinder(WithHome(home))
	f.system = &fakeSystem{}
	want := `windsurf process bad: not running. Start Windsurf and try again.
windsurf key ok: sk-ws-01 of 17 characters in state.vscdb of Windsurf.
windsurf caches ok: cachedPlanInfo of Windsurf; cachedPlanInfoData of Windsurf cannot be read: it is damaged.
=  not_running
`
	if diff := cmp.Diff(want, flat(doctorOf(f).Examine(t.Context(), Variants()[:1]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What each kind of port is told to be.
func TestWordsOfRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"answers", nil, "has begun to answer"},
		{"other_process", &noAnswerError{&ownerError{system.ErrNotOwner}}, "belongs to another process"},
		{"owner_unknown", &noAnswerError{&ownerError{errors.New("read /home/alice: no")}}, "could not be told to be its own"},
		{"other_protocol", &notConnectError{404}, "answers with status 404, not as a language server does"},
		{"silent", &noAnswerError{context.DeadlineExceeded}, "does not answer in time"},
		{"hangs_up", &noAnswerError{io.EOF}, "hangs up"},
		{"refused", &noAnswerError{syscall.ECONNREFUSED}, "gives the error: connection refused"},
		{"garbage", errors.New(`malformed HTTP response "key"`), "gives the error: unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := wordsOfRefusal(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
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
