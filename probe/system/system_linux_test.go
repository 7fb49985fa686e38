package system

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// fakeProc is one process of a test's /proc.
type fakeProc struct {
	pid, uid, started int
	argv, environ     []string
	exe, state, netns string
	sockets           []int
	listening         []listener
	noEnviron         bool
}

func layOut(t *testing.T, procs ...fakeProc) procfs {
	t.Helper()
	root := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, target string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
	write("uptime", "3.00 5.00\n") // of a container: not the clock of processes
	write("meminfo", "")
	write("sys/kernel/x", "")
	link("self/ns/net", "net:[1]")
	var listening []listener
	for _, p := range procs {
		dir := fmt.Sprint(p.pid) + "/"
		write(dir+"cmdline", strings.Join(p.argv, "\x00")+"\x00")
		if !p.noEnviron {
			write(dir+"environ", strings.Join(p.environ, "\x00")+"\x00")
		}
		write(dir+"status", fmt.Sprintf("Name:\tx\nUid:\t9\t%d\t9\t9\nGid:\t1\t1\t1\t1\n", p.uid))
		state := p.state
		if state == "" {
			state = "S"
		}
		// A name with blanks and brackets, which any process may choose.
		write(dir+"stat", fmt.Sprintf("%d (a) S) %s 1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 9 0 %d 1 1 1\n", p.pid, state, p.started))
		netns := p.netns
		if netns == "" {
			netns = "net:[1]"
		}
		link(dir+"ns/net", netns)
		if p.exe != "" {
			link(dir+"exe", p.exe)
		}
		link(dir+"fd/0", "/dev/null")
		for i, inode := range p.sockets {
			link(fmt.Sprintf("%sfd/%d", dir, i+1), fmt.Sprintf("socket:[%d]", inode))
		}
		listening = append(listening, p.listening...)
	}
	return procfs{
		root: root, uid: 1000,
		listening: func() ([]listener, error) { return listening, nil },
		sinceBoot: func() (time.Duration, error) { return 100 * time.Second, nil },
	}
}

func serverProc(pid int) fakeProc {
	return fakeProc{
		pid: pid, uid: 1000, started: pid,
		argv:    []string{"/opt/windsurf/bin/language_server_linux_x64", "--ide_name", "windsurf", "--windsurf_version=1.2.3"},
		environ: []string{"HOME=/home/jo", "WINDSURF_CSRF_TOKEN=token-of-" + fmt.Sprint(pid)},
		exe:     "/opt/windsurf/bin/language_server_linux_x64",
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	other := serverProc(20)
	other.uid = 1001
	zombie := serverProc(21)
	zombie.state = "Z"
	deleted := serverProc(22)
	deleted.exe += " (deleted)"
	relative := serverProc(23)
	relative.argv[0], relative.exe = "language_server_linux_x64", ""
	young := serverProc(9990)
	ahead := serverProc(10_100) // by the clock of another system
	closed := serverProc(24)
	closed.noEnviron = true
	long := serverProc(25)
	long.argv[0] = "/" + strings.Repeat("deep/", 300) + "language_server_linux_x64"
	long.exe = ""
	stranger := serverProc(26)
	stranger.argv[0] = "/usr/bin/vim"
	wide := serverProc(27)
	wide.argv[0] = strings.Repeat("x", 2000) // a title in one string, as Chromium writes it
	quoting := fakeProc{pid: 28, uid: 1000, argv: []string{"grep", "language_server_linux_x64"}}
	silent := fakeProc{pid: 29, uid: 1000}
	const script = "/home/jo/.gemini/antigravity-cli/build/mcp-server.cjs"
	node := func(pid int, args ...string) fakeProc {
		return fakeProc{pid: pid, uid: 1000, started: pid, argv: append([]string{"/usr/bin/node"}, args...), exe: "/usr/bin/node"}
	}
	far := "--import=" + strings.Repeat("x", 600)
	agy := fakeProc{pid: 30, uid: 1000, started: 30, argv: []string{"agy", "-p", "hello"}, exe: "/home/jo/.local/bin/agy"}

	fs := layOut(t, other, zombie, deleted, relative, young, ahead, closed, long, stranger, wide, quoting, silent, agy,
		node(31, script), node(32, "--no-warnings", far, script, "--csrf_token", "a"), node(33, "/srv/server.js", script),
		node(34, far, "/srv/server.js"), node(35), node(36, "/srv/"+strings.Repeat("x", 600)+"/antigravity-cli/a.js"))
	found, err := fs.Processes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	NewestFirst(found)
	type row struct {
		PID                            int
		Path, IDE, Version, Token, Err string
		Starting                       bool
	}
	var got []row
	for _, p := range found {
		r := row{p.PID, p.Path, p.IDEName, p.Version, p.Token.Reveal(), "", p.Starting}
		if p.TokenErr != nil {
			r.Err = p.TokenErr.Error()
		}
		got = append(got, r)
	}
	path := serverProc(1).exe
	want := []row{
		{PID: 10_100, Path: path, IDE: "windsurf", Version: "1.2.3", Token: "token-of-10100"},
		{PID: 9990, Path: path, IDE: "windsurf", Version: "1.2.3", Token: "token-of-9990", Starting: true},
		{PID: 36, Path: "/srv/" + strings.Repeat("x", 600) + "/antigravity-cli/a.js"},
		{PID: 32, Path: script, Token: "a"},
		{PID: 31, Path: script},
		{PID: 30, Path: agy.exe},
		{PID: 25, Path: long.argv[0], IDE: "windsurf", Version: "1.2.3", Token: "token-of-25"},
		{PID: 24, Path: path, IDE: "windsurf", Version: "1.2.3", Err: "no such file or directory"},
		{PID: 23, Path: "language_server_linux_x64", IDE: "windsurf", Version: "1.2.3", Token: "token-of-23"},
		{PID: 22, Path: path, IDE: "windsurf", Version: "1.2.3", Token: "token-of-22"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSocketInode(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]uint64{
		"socket:[12345]": 12345, "/dev/pts/0": 0, "anon_inode:[eventpoll]": 0, "socket:[]": 0, "socket:[1": 0, "socket:[-1]": 0,
	} {
		got, ok := socketInode(link)
		if got != want || ok != (want > 0) {
			t.Errorf("socketInode(%q) = %d, %v", link, got, ok)
		}
	}
}

func listen(addr string, inode uint64) listener {
	return listener{addr: netip.MustParseAddrPort(addr), holder: inode}
}

func TestListenersAndVerify(t *testing.T) {
	t.Parallel()
	const port8080, port8081 = "127.0.0.1:8080", "127.0.0.1:8081"
	tests := []struct {
		name      string
		change    func(*fakeProc)
		listeners string // as printed, or the error
		verify    string // of 127.0.0.1:8080
	}{
		{"own_port", func(p *fakeProc) { p.sockets, p.listening = []int{5}, []listener{listen(port8080, 5)} }, "[127.0.0.1:8080]", "<nil>"},
		{"strangers_port", func(p *fakeProc) { p.sockets, p.listening = []int{6}, []listener{listen(port8080, 5)} }, "[]", ErrNotOwner.Error()},
		{"both_on_one_port", func(p *fakeProc) {
			p.sockets, p.listening = []int{5}, []listener{listen(port8080, 5), listen("0.0.0.0:8080", 6)}
		}, "[127.0.0.1:8080]", ErrNotOwner.Error()},
		{"two_ports", func(p *fakeProc) {
			p.sockets, p.listening = []int{5, 6, 7}, []listener{listen(port8081, 6), listen(port8080, 5), listen("192.168.1.10:8082", 7)}
		}, "[127.0.0.1:8080 127.0.0.1:8081]", "<nil>"},
		{"port_closed", func(p *fakeProc) { p.sockets, p.listening = []int{5}, []listener{listen(port8081, 5)} }, "[127.0.0.1:8081]", ErrNotOwner.Error()},
		{"other_namespace", func(p *fakeProc) {
			p.sockets, p.listening, p.netns = []int{5}, []listener{listen(port8080, 5)}, "net:[2]"
		}, ErrNamespace.Error(), ErrNamespace.Error()},
		{"pid_taken_again", func(p *fakeProc) {
			p.sockets, p.listening, p.started = []int{5}, []listener{listen(port8080, 5)}, 43
		}, "[127.0.0.1:8080]", errReplaced.Error()},
		{"ended", func(p *fakeProc) {
			p.sockets, p.listening, p.state = []int{5}, []listener{listen(port8080, 5)}, "Z"
		}, "[127.0.0.1:8080]", "look at process 42 again: the process has ended"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			laidOut := serverProc(42)
			tt.change(&laidOut)
			fs := layOut(t, laidOut)
			p := Process{PID: 42, started: 42}
			addrs, err := fs.Listeners(t.Context(), p)
			got := fmt.Sprint(addrs)
			if err != nil {
				got = err.Error()
			}
			if got != tt.listeners {
				t.Errorf("listeners = %s, want %s", got, tt.listeners)
			}
			if got := fmt.Sprint(fs.Verify(t.Context(), p, netip.MustParseAddrPort("127.0.0.1:8080"))); got != tt.verify {
				t.Errorf("verify = %s, want %s", got, tt.verify)
			}
		})
	}
}

// BenchmarkDiscovery reads the processes of this machine and 300 more, none of which is
// the server.
func BenchmarkDiscovery(b *testing.B) {
	probetest.Bystanders(b, 300)
	s := New()
	for b.Loop() {
		if _, err := s.Processes(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
