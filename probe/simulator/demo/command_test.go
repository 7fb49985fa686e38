package demo

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
)

// The test binary is the server's program, too.
func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
	}
	os.Exit(m.Run())
}

func TestDemoCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		line string
		want []string
		// speed is the clock's speed.
		speed float64
	}{
		{"app", "", []string{}, 44640},
		{"app_of_scenario", "--scenario quota_fresh", []string{}, 1440},
		{"app_still", "--lapse=false", []string{}, 1},
		{"command", "status --json", []string{"status", "--json"}, 1},
		{"command_in_lapse", "--lapse --scenario free status --watch", []string{"status", "--watch"}, 1440},
		{"lapse_of_the_command", "status --lapse", []string{"status", "--lapse"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ran := false
			err := run(t, func(demo Demo, args []string) error {
				ran = true
				if diff := cmp.Diff(tt.want, args); diff != "" {
					t.Errorf("arguments (-want +got):\n%s", diff)
				}
				if demo.Speed != tt.speed {
					t.Errorf("speed %v, want %v", demo.Speed, tt.speed)
				}
				if _, err := os.Stat(filepath.Join(demo.Home, ".config", "Windsurf")); err != nil {
					t.Error(err)
				}
				files, err := filepath.Glob(filepath.Join(demo.Home, ".codeium", "windsurf", "cascade", "*.pb"))
				if err != nil || len(files) != demoCascades.Old {
					t.Errorf("%d cascades, %v", len(files), err)
				}
				if demo.Owns(os.Getpid()) {
					t.Error("it owns the test")
				}
				return errors.New("ran")
			}, strings.Fields(tt.line)...)
			if !ran || err == nil || err.Error() != "ran" {
				t.Errorf("ran %v, error %v", ran, err)
			}
		})
	}
}

// A demo of several plans runs all their servers by one clock, and signs in where a
// person has to.
func TestDemoOfSeveralPlans(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scenario string
		dirs     []string
		speed    float64
	}{
		{"two_accounts", []string{"Windsurf", "Windsurf - Next"}, 44640},
		{"antigravity", nil, 300},
		{"family", []string{"Windsurf", "Windsurf - Next"}, 1440},
		{"agent", []string{"Devin"}, 1440},
	} {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			if err := run(t, func(demo Demo, _ []string) error {
				entries, _ := os.ReadDir(filepath.Join(demo.Home, ".config")) // none for Antigravity
				var dirs []string
				for _, entry := range entries {
					dirs = append(dirs, entry.Name())
				}
				if diff := cmp.Diff(tt.dirs, dirs); diff != "" {
					t.Errorf("signed in (-want +got):\n%s", diff)
				}
				if demo.Speed != tt.speed {
					t.Errorf("speed %v", demo.Speed)
				}
				return nil
			}, "--scenario", tt.scenario); err != nil {
				t.Error(err)
			}
		})
	}
}

// A demo without an editor has its sign-ins, the consent to ask with them, and a service
// that knows them.
func TestDemoOfServices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scenario, file, allow string
		url, request          string
		want                  string
	}{
		{
			"cloud", ".local/share/devin/credentials.toml", "devin-cli@server.codeium.com",
			"https://server.codeium.com/exa.seat_management_pb.SeatManagementService/GetPlanStatus", "X-Auth-Token", `"weeklyQuotaRemainingPercent":12`,
		},
		{
			"cursor", ".config/Cursor/User/globalStorage/state.vscdb", "cursor@api2.cursor.sh",
			"https://api2.cursor.sh/aiserver.v1.DashboardService/GetCurrentPeriodUsage", "Authorization", `"apiPercentUsed":63.44`,
		},
	} {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			if err := run(t, func(demo Demo, _ []string) error {
				content, err := os.ReadFile(filepath.Join(demo.Home, filepath.FromSlash(tt.file)))
				if err != nil {
					return err
				}
				token := string(regexp.MustCompile(`(devin-session-token\$)?eyJ[\w-]+\.[\w-]+\.demo`).Find(content))
				if tt.request == "Authorization" {
					token = "Bearer " + token
				}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url, strings.NewReader("{}"))
				if err != nil {
					return err
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set(tt.request, token)
				response, err := demo.Transport.RoundTrip(request)
				if err != nil {
					return err
				}
				defer response.Body.Close()
				if answer, err := io.ReadAll(response.Body); err != nil || !strings.Contains(strings.ReplaceAll(string(answer), " ", ""), tt.want) {
					t.Errorf("answer %s, %v", answer, err)
				}
				if diff := cmp.Diff([]string{tt.allow}, demo.Allow); diff != "" || demo.Speed != 1 {
					t.Errorf("speed %v, allowed (-want +got):\n%s", demo.Speed, diff)
				}
				return nil
			}, "--scenario", tt.scenario); err != nil {
				t.Error(err)
			}
		})
	}
}

// Whatever a person allows in a demo, no host is asked but a simulated one.
func TestDemoAsksNobodyElse(t *testing.T) {
	t.Parallel()
	if err := run(t, func(demo Demo, _ []string) error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://portal.example/", nil)
		if err != nil {
			return err
		}
		response, err := demo.Transport.RoundTrip(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if issuer := response.TLS.PeerCertificates[0].Issuer.CommonName; issuer != "Windsock Simulator Root" {
			t.Errorf("a server of %q has answered", issuer)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// The demo of an agent has the agent beside its server.
func TestDemoOfAnAgent(t *testing.T) {
	t.Parallel()
	if err := run(t, func(demo Demo, _ []string) error {
		var found []string
		err := filepath.WalkDir(filepath.Dir(demo.Home), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.TrimSuffix(e.Name(), ".exe") == agent.Devin {
				found = append(found, path)
			}
			return err
		})
		if err != nil || len(found) != 1 {
			t.Errorf("found %q, %v", found, err)
			return nil
		}
		servers, err := filepath.Glob(filepath.Join(filepath.Dir(found[0]), "..", "..", "bin", "language_server_*"))
		if err != nil || len(servers) != 1 || simulator.AgentPath(servers[0]) != found[0] {
			t.Errorf("beside %q, %v", servers, err)
		}
		version, err := exec.CommandContext(t.Context(), found[0], "--version").Output()
		if err != nil || !strings.Contains(string(version), "simulated") {
			t.Errorf("%q, %v", version, err)
		}
		return nil
	}, "--scenario", "agent"); err != nil {
		t.Error(err)
	}
}

func TestDemoCommandUnknownScenario(t *testing.T) {
	t.Parallel()
	err := run(t, func(Demo, []string) error { return nil }, "--scenario", "riches")
	if say.Exit(err) != say.ExitUsage {
		t.Errorf("error %v", err)
	}
	err = run(t, func(Demo, []string) error { return nil }, "--scenario", "cursor", "--lapse")
	if say.Exit(err) != say.ExitUsage {
		t.Errorf("a lapse of a service: %v", err)
	}
}

// run runs the command.
func run(t *testing.T, inside func(demo Demo, args []string) error, args ...string) error {
	t.Helper()
	cmd := NewCommand(func(_ *cobra.Command, demo Demo, args []string) error { return inside(demo, args) })
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetErr(&strings.Builder{})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(context.Background())
}

// A killed demo leaves its directory behind. It is removed a week later; nothing else
// is.
func TestRemoveOld(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	elsewhere := t.TempDir()
	for _, name := range []string{"windsock-demo-1", "windsock-demo-2", "other-1"} {
		if err := os.MkdirAll(filepath.Join(tmp, name, "home"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(tmp, "windsock-demo-link")); err != nil {
		t.Skip(err)
	}
	now := time.Now()
	old := now.AddDate(0, 0, -8)
	for _, name := range []string{"windsock-demo-1", "other-1"} {
		if err := os.Chtimes(filepath.Join(tmp, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	removeOld(tmp, now.Add(-leftOver))
	entries, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if diff := cmp.Diff([]string{"other-1", "windsock-demo-2", "windsock-demo-link"}, left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	removeOld(filepath.Join(tmp, "nowhere"), now)
}
