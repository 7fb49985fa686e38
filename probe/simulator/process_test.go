package simulator

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func launch(t *testing.T, o Options) *Process {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	p, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ask posts JSON to a process and returns the status; 0 is no answer.
func ask(t *testing.T, p *Process, method, token, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+servicePath+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Codeium-Csrf-Token", token)
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

func TestProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Options
	}{
		{"token_in_environment", Options{}},
		{"token_in_flag", Options{Token: TokenFlag}},
		{"token_in_flag_equals", Options{Token: TokenFlag, Equals: true}},
		{"child", Options{RunChild: true}},
		{"child_token_in_flag", Options{RunChild: true, Token: TokenFlag}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Config = Config{Token: "right"}
			p := launch(t, tt.o)
			if want := map[bool]int{false: 1, true: 2}[tt.o.RunChild]; len(p.PIDs()) != want {
				t.Errorf("pids = %v", p.PIDs())
			}
			if got := ask(t, p, "GetUserStatus", "right", keyed("k1")); got != 200 {
				t.Errorf("right token: %d", got)
			}
			if got := ask(t, p, "GetUserStatus", "wrong", keyed("k2")); got != 403 {
				t.Errorf("wrong token: %d", got)
			}
			if err := p.Set(t.Context(), "signed_out", FaultNone); err != nil {
				t.Error(err)
			}
			if got := ask(t, p, "GetUserStatus", "right", keyed("k3")); got != 500 {
				t.Errorf("signed out: %d", got)
			}
			if err := p.Set(t.Context(), "riches", FaultNone); err == nil || !strings.Contains(err.Error(), "riches") {
				t.Errorf("unknown scenario: %v", err)
			}
			want := []string{"k1", "k2", "k3"}
			if diff := cmp.Diff(want, p.Keys()); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			if err := p.Stop(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, p.Keys()); diff != "" {
				t.Errorf("keys after the end (-want +got):\n%s", diff)
			}
			if got := ask(t, p, "GetUnleashData", "right", "{}"); got != 0 {
				t.Errorf("answers after the end: %d", got)
			}
		})
	}
}

func TestAntigravityProcess(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Antigravity]int{AntigravityApp: 200, AntigravityIDE: 404, AntigravityCLI: 200} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := launch(t, Options{Home: t.TempDir(), Config: Config{Antigravity: kind, Token: "right"}, Env: []string{tokenEnv + "=inherited"}})
			if got := ask(t, p, methodSummary, "right", "{}"); got != want {
				t.Errorf("summary: %d", got)
			}
			if got := ask(t, p, methodProbe, "inherited", "{}"); got != 403 {
				t.Errorf("token of Windsurf: %d", got)
			}
			if err := p.Set(t.Context(), "fresh", FaultNotLoggedIn); err != nil {
				t.Error(err)
			}
			if got := ask(t, p, methodStatus, "right", "{}"); got != 500 {
				t.Errorf("not logged in: %d", got)
			}
			if p.Ready().HTTPPort == 0 || len(p.Violations()) != 0 || p.Count()[methodStatus] != 1 {
				t.Errorf("ready %+v, violations %v, count %v", p.Ready(), p.Violations(), p.Count())
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"unknown_scenario": {Config: Config{Scenario: "riches"}},
		"in_child":         {Config: Config{Scenario: "riches"}, RunChild: true},
		"no_program":       {Exe: "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Root = t.TempDir()
			if p, err := Start(t.Context(), o); err == nil {
				t.Errorf("started: %v", p.PIDs())
			} else if o.Config.Scenario != "" && !strings.Contains(err.Error(), "riches") {
				t.Errorf("error does not say why: %v", err)
			}
		})
	}
}
