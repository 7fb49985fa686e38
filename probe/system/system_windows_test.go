package system

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// startServer starts a simulated server, in a directory with blanks and non-ASCII
// letters in its name.
func startServer(t *testing.T, o simulator.Options) *simulator.Process {
	t.Helper()
	o.Root, o.IDEName = filepath.Join(t.TempDir(), "Zoë Q"), "windsurf"
	if err := os.Mkdir(o.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	return simtest.Start(t, o)
}

// knowing is the real system, except for the listed ports of servers: Wine has no PIDs
// for them.
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

// The command line, environment, path and start of a real server process can be read.
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
			all, err := New().Processes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pids := server.PIDs()
			all = slices.DeleteFunc(all, func(p Process) bool { return !slices.Contains(pids, p.PID) })
			if len(all) != len(pids) {
				t.Fatalf("%d of %d processes are found", len(all), len(pids))
			}
			for _, p := range all {
				if p.TokenErr != nil || p.Token.Reveal() != server.Ready().Token || p.IDEName != "windsurf" || !p.Simulated || !p.Starting {
					t.Errorf("read of it: %+v", p)
				}
				if !strings.HasSuffix(p.Path, `\Zoë Q\Program Files\Windsurf\resources\app\extensions\windsurf\bin\language_server_windows_x64.exe`) {
					t.Errorf("its path is %s", p.Path)
				}
				if started := time.Unix(0, int64(p.started)); started.Before(before) || started.After(time.Now()) {
					t.Errorf("it was started at %v", started)
				}
			}
		})
	}
}

// A connection to the port of another process, or of one that reuses the PID, is closed
// before a byte is sent.
func TestRealVerify(t *testing.T) {
	t.Parallel()
	server, stranger := startServer(t, simulator.Options{}), startServer(t, simulator.Options{})
	s := knowing(server, stranger)
	all, err := s.Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p Process) bool { return p.PID == server.Ready().PID })
	if i < 0 {
		t.Fatal("the server is not found")
	}
	at := func(p *simulator.Process) netip.AddrPort {
		return netip.MustParseAddrPort(strings.TrimPrefix(p.URL(), "http://"))
	}
	if err := s.Verify(t.Context(), all[i], at(server)); err != nil {
		t.Errorf("its own port: %v", err)
	}
	if err := s.Verify(t.Context(), all[i], at(stranger)); err != ErrNotOwner { //nolint:errorlint // as it is
		t.Errorf("another's port: %v", err)
	}
	other := all[i]
	other.started++
	if err := s.Verify(t.Context(), other, at(server)); err != errReplaced { //nolint:errorlint // as it is
		t.Errorf("another process of that PID: %v", err)
	}
}

// The real table of sockets lists those of this process. Under Wine it exists if the
// driver nsiproxy runs, and names no process.
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

// A process that looks like the server but has ended is no candidate.
func TestRealEndedServer(t *testing.T) {
	t.Parallel()
	server := startServer(t, simulator.Options{})
	pid := server.Ready().PID
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	all, err := New().Processes(t.Context())
	if err != nil || slices.ContainsFunc(all, func(p Process) bool { return p.PID == pid }) {
		t.Errorf("%d is still among %d servers, error %v", pid, len(all), err)
	}
}
