package probe

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/windows"

	"windsock/probe/simulator"
)

// startServer starts a simulated server, in a directory with blanks and letters
// beyond ASCII in its name.
func startServer(t *testing.T, o simulator.Options) *simulator.Process {
	t.Helper()
	o.Root, o.IDEName = filepath.Join(t.TempDir(), "Zoë Q"), "windsurf"
	if err := os.Mkdir(o.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := simulator.Start(t.Context(), o)
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

// knowing is the real system, but for what it lists of the ports of servers: Wine
// has no PIDs for them.
func knowing(servers ...*simulator.Process) win {
	return win{listening: func() ([]listener, error) {
		var all []listener
		for _, p := range servers {
			for _, port := range []int{p.Ready().Port, p.Ready().LSPPort} {
				addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
				all = append(all, listener{addr: addr, holder: uint64(listening(p))})
			}
		}
		return all, nil
	}}
}

// listening is the process of the server that listens.
func listening(p *simulator.Process) int {
	pids := p.PIDs()
	return pids[len(pids)-1]
}

// A real server process: its command line, environment, path and start are read
// out of it, and it is asked for figures.
func TestRealServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options simulator.Options
	}{
		{"token_in_environment", simulator.Options{}},
		{"token_on_command_line", simulator.Options{Token: simulator.TokenFlag}},
		{"parent_and_child", simulator.Options{RunChild: true, Equals: true}},
		{"odd_arguments", simulator.Options{
			Args: []string{"", `a "quoted" \ word\`, "--ide_name=windsurf"}, Env: []string{"ODD=Zoë 🪁 =x="},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := time.Now().Add(-time.Minute)
			server := startServer(t, tt.options)
			all, err := newSystem().processes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pids := server.PIDs()
			all = slices.DeleteFunc(all, func(p process) bool { return !slices.Contains(pids, p.pid) })
			if len(all) != len(pids) {
				t.Fatalf("%d of %d processes are found", len(all), len(pids))
			}
			for _, p := range all {
				if p.tokenErr != nil || p.token.Reveal() != server.Ready().Token || p.ideName != "windsurf" || !p.simulated || !p.starting {
					t.Errorf("read of it: %+v", p)
				}
				if !strings.HasSuffix(p.path, `\Zoë Q\Program Files\Windsurf\resources\app\extensions\windsurf\bin\language_server_windows_x64.exe`) {
					t.Errorf("its path is %s", p.path)
				}
				if started := time.Unix(0, int64(p.started)); started.Before(before) || started.After(time.Now()) {
					t.Errorf("it was started at %v", started)
				}
			}
			home := t.TempDir()
			if err := simulator.SignIn(filepath.Join(home, ".config", "Windsurf"), simulator.Auth{Key: testKey}); err != nil {
				t.Fatal(err)
			}
			finder := NewFinder(WithHome(home), WithProcesses(func(pid int) bool { return slices.Contains(pids, pid) }))
			finder.system = knowing(server)
			raw, session, err := finder.UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if !strings.HasPrefix(string(raw), `{"userStatus":`) {
				t.Errorf("answer = %.80s…", raw)
			}
			if diff := cmp.Diff(Server{Variant: "windsurf", App: "Windsurf", PID: listening(server)}, session.Server()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{testKey}, server.Keys()); diff != "" {
				t.Errorf("keys that came to the server:\n%s", diff)
			}
		})
	}
}

// A connection to the port of another process, or of one that has taken a PID
// over, is closed before a byte is sent.
func TestRealVerify(t *testing.T) {
	t.Parallel()
	server, stranger := startServer(t, simulator.Options{}), startServer(t, simulator.Options{})
	system := knowing(server, stranger)
	all, err := system.processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p process) bool { return p.pid == server.Ready().PID })
	if i < 0 {
		t.Fatal("the server is not found")
	}
	at := func(p *simulator.Process) netip.AddrPort {
		return netip.MustParseAddrPort(strings.TrimPrefix(p.URL(), "http://"))
	}
	if err := system.verify(t.Context(), all[i], at(server)); err != nil {
		t.Errorf("its own port: %v", err)
	}
	if err := system.verify(t.Context(), all[i], at(stranger)); err != errNotOwner { //nolint:errorlint // as it is
		t.Errorf("another's port: %v", err)
	}
	other := all[i]
	other.started++
	if err := system.verify(t.Context(), other, at(server)); err != errReplaced { //nolint:errorlint // as it is
		t.Errorf("another process of that PID: %v", err)
	}
}

// The real table of sockets has those of this process. Under Wine it is there if
// its driver nsiproxy runs, and names no process.
func TestRealListeners(t *testing.T) {
	t.Parallel()
	var want []netip.AddrPort
	for network, addr := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		l, err := net.Listen(network, addr)
		if err != nil {
			t.Log(err) // no IPv6
			continue
		}
		t.Cleanup(func() { _ = l.Close() })
		want = append(want, netip.MustParseAddrPort(l.Addr().String()))
	}
	all, err := tcpListeners()
	if underWine() && err != nil {
		t.Skipf("needs a Wine with nsiproxy: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range want {
		i := slices.IndexFunc(all, func(l listener) bool { return l.addr == addr })
		switch {
		case i < 0:
			t.Errorf("%v is not among %v", addr, all)
		case underWine() && all[i].holder == 0:
			t.Logf("%v is there, without a PID", addr)
		case all[i].holder != uint64(os.Getpid()):
			t.Errorf("%v belongs to %d, not to %d", addr, all[i].holder, os.Getpid())
		}
	}
}

func underWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// What looks like the server and has ended is no candidate.
func TestRealEndedServer(t *testing.T) {
	t.Parallel()
	server := startServer(t, simulator.Options{})
	pid := server.Ready().PID
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	all, err := newSystem().processes(t.Context())
	if err != nil || slices.ContainsFunc(all, func(p process) bool { return p.pid == pid }) {
		t.Errorf("%d is still among %d servers, error %v", pid, len(all), err)
	}
}
