package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
)

// The tests of this file look at real processes of this machine, through the
// real /proc.

// startServer starts a simulated server. The finder sees only the servers of its own
// test.
func startServer(t *testing.T, o simulator.Options) *simulator.Process {
	t.Helper()
	if o.IDEName == "" {
		o.IDEName = "windsurf"
	}
	return simtest.Start(t, o)
}

// realFinder sees the given servers through the real system, with testKey signed in.
func realFinder(t *testing.T, servers *[]*simulator.Process) *Finder {
	t.Helper()
	home := t.TempDir()
	if err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	return NewFinder(WithDirs(signin.Below(home)), WithProcesses(func(pid int) bool {
		return slices.ContainsFunc(*servers, func(p *simulator.Process) bool { return slices.Contains(p.PIDs(), pid) })
	}))
}

func TestRealServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options simulator.Options
	}{
		{"token_in_environment", simulator.Options{}},
		{"token_on_command_line", simulator.Options{Token: simulator.TokenFlag}},
		{"flags_with_equals", simulator.Options{Token: simulator.TokenFlag, Equals: true}},
		{"parent_and_child", simulator.Options{RunChild: true}},
		{"tls", simulator.Options{Config: simulator.Config{TLS: true}}},
		{"no_ide_name", simulator.Options{App: "opt/Windsurf"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := startServer(t, tt.options)
			servers := []*simulator.Process{server}
			raw, session, err := realFinder(t, &servers).UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if !strings.HasPrefix(string(raw), `{"userStatus":`) {
				t.Errorf("answer = %.80s…", raw)
			}
			pids := server.PIDs()
			want := Server{Variant: "windsurf", App: "Windsurf", PID: pids[len(pids)-1]}
			if diff := cmp.Diff(want, session.Server()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{testKey}, server.Keys()); diff != "" {
				t.Errorf("keys that came to the server:\n%s", diff)
			}
		})
	}
}

// The editor restarts between two calls: another process, port and token.
func TestRealRestart(t *testing.T) {
	t.Parallel()
	servers := []*simulator.Process{startServer(t, simulator.Options{})}
	finder := realFinder(t, &servers)
	_, session, err := finder.UserStatus(t.Context(), Variants())
	if err != nil {
		t.Fatal(err)
	}
	if err := servers[0].Kill(); err != nil {
		t.Fatal(err)
	}
	servers = append(servers, startServer(t, simulator.Options{RunChild: true}))
	if _, err := session.UserStatus(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := session.Server().PID, servers[1].Ready().ChildPID; got != want {
		t.Errorf("the session talks to process %d, want %d", got, want)
	}
	if err := servers[1].Stop(); err != nil {
		t.Fatal(err)
	}
	_, err = session.UserStatus(t.Context())
	failure, ok := errors.AsType[*Failure](err)
	// The connection is refused, or an idle one breaks before its end is noticed.
	if !ok || failure.code != NotRunning || !strings.Contains(err.Error(), "before the fresh discovery: call GetUserStatus: ") {
		t.Errorf("after the end: %v; want not_running with the first reason in it", err)
	}
}

// A simulator's figures are made up, and no key is meant for it: by default a Finder
// ignores it.
func TestRealSimulatorIsPassedBy(t *testing.T) {
	t.Parallel()
	server := startServer(t, simulator.Options{})
	found, err := system.New().Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found, func(p system.Process) bool { return p.PID == server.Ready().PID })
	if i < 0 || NewFinder().sees(found[i]) {
		t.Fatalf("process %d of %d is looked at", i, len(found))
	}
	// The clock of the start times is the one in use.
	if age := found[i].Age; age <= 0 || age > time.Hour {
		t.Errorf("a process that has just started is %v old", age)
	}
}

// A process with the right name that belongs to another user is no candidate, and gets
// no key.
func TestRealServerOfAnotherUser(t *testing.T) {
	probetest.NeedRoot(t)
	t.Parallel()
	const other = 65534
	theirs := startServer(t, simulator.Options{Root: probetest.OpenTempDir(t), SysProcAttr: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}})
	servers := []*simulator.Process{theirs}
	finder := realFinder(t, &servers)
	_, _, err := finder.UserStatus(t.Context(), Variants())
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != NotRunning {
		t.Errorf("UserStatus: %v, want not_running", err)
	}
	// It is ignored because of its user: it is visible.
	argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", theirs.Ready().PID))
	if err != nil || !strings.Contains(string(argv), "language_server") {
		t.Errorf("the other user's server is not to be seen at all: %q, %v", argv, err)
	}
	if count := theirs.Count(); len(count) > 0 {
		t.Errorf("calls that came to it: %v", count)
	}
}

// Another process takes over our server's port between the listing and the dial: the
// connection is closed before a byte is sent.
func TestRealStrangersListener(t *testing.T) {
	t.Parallel()
	server := startServer(t, simulator.Options{})
	found, err := system.New().Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found, func(p system.Process) bool { return p.PID == server.Ready().PID })
	if i < 0 {
		t.Fatal("the server is not found")
	}
	addr, received := listenAsStranger(t)
	client := newClient(system.New(), found[i], addr)
	client.Timeout = 10 * time.Second // the other process accepts everything and never answers
	response, err := client.Post("http://"+addr.String(), "application/json", strings.NewReader(testKey))
	if err == nil {
		_ = response.Body.Close()
	}
	if !errors.Is(err, system.ErrNotOwner) {
		t.Errorf("error = %v, want %v", err, system.ErrNotOwner)
	}
	nothingReceived(t, received)
	// The server's own port passes the same check.
	own := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(server.Ready().Port))
	response, err = newClient(system.New(), found[i], own).Get("http://" + own.String())
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}

// A server in another network namespace has none of our ports, whatever its port
// numbers.
func TestRealNetworkNamespace(t *testing.T) {
	probetest.NeedRoot(t)
	probetest.NeedNetworks(t)
	t.Parallel()
	root := t.TempDir()
	binary := filepath.Join(root, "language_server_linux_x64")
	probetest.CopySelf(t, binary, 0o700)
	cmd := exec.Command("unshare", "--net", binary, "--ide_name", "windsurf")
	cmd.Env = []string{"WINDSURF_CSRF_TOKEN=" + testToken, "PATH=" + os.Getenv("PATH")}
	startCommand(t, cmd)
	finder := NewFinder(WithDirs(signin.Below(t.TempDir())), WithProcesses(func(pid int) bool { return pid == cmd.Process.Pid }))
	_, _, err := finder.UserStatus(t.Context(), Variants())
	failure, ok := errors.AsType[*Failure](err)
	if !ok || failure.code != NoPort || !errors.Is(err, system.ErrNamespace) {
		t.Fatalf("UserStatus: %v, want %s: %v", err, NoPort, system.ErrNamespace)
	}
	want := "Windsurf (Devin Desktop) runs, but its language server does not answer: process " + strconv.Itoa(cmd.Process.Pid) +
		" cannot be reached, it runs in another network namespace. Run Windsock inside the container or sandbox in which Windsurf (Devin Desktop) runs."
	if say.Sentence(failure, "") != want {
		t.Errorf("says %q, want %q", say.Sentence(failure, ""), want)
	}
}

// The servers of Antigravity as real processes, beside one of Windsurf. A young one that
// has not read its sign-in yet is waited for.
func TestRealAntigravity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config simulator.Config
		app    string
		want   string // the start of the answer, or the failure's code
	}{
		{"app", simulator.Config{Antigravity: simulator.AntigravityApp}, "Antigravity", `{"response":{`},
		{"ide", simulator.Config{Antigravity: simulator.AntigravityIDE}, "Antigravity IDE", `{"userStatus":{`},
		{"cli", simulator.Config{Antigravity: simulator.AntigravityCLI}, "Antigravity CLI", "no_token"},
		{"not_ready", simulator.Config{Antigravity: simulator.AntigravityApp, Fault: simulator.FaultNotReady, SlowStart: time.Second}, "Antigravity", `{"response":{`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			windsurf := startServer(t, simulator.Options{})
			server := simtest.Start(t, simulator.Options{Config: tt.config})
			servers := []*simulator.Process{windsurf, server}
			list := []Variant{Variants()[0], VariantsOf(Antigravity)[0]}
			answers := realFinder(t, &servers).Answers(t.Context(), list)
			if a := answers[0]; a.Failure != nil || a.Server.PID != windsurf.Ready().PID {
				t.Errorf("Windsurf: %v from %+v", a.Failure, a.Server)
			}
			got := answers[1]
			text := string(got.Raw)
			if got.Failure != nil {
				text = got.Failure.Tell().Code
			}
			if want := (Server{"antigravity", tt.app, server.Ready().PID}); !strings.HasPrefix(text, tt.want) || got.Server != want {
				t.Errorf("%.80s from %+v, want %s from %+v", text, got.Server, tt.want, want)
			}
			if wrong := server.Violations(); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}
