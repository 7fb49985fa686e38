package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"windsock/probe/probetest"
	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// outside are the commands that look for figures, or look around. goesOn is of one that
// runs until it is interrupted.
var outside = []struct {
	args   []string
	goesOn bool
}{
	{args: []string{"status"}},
	{args: []string{"status", "--json", "--cached"}},
	{args: []string{"status", "--product", "cursor"}},
	{args: []string{"status", "--product", "all"}},
	{args: []string{"doctor"}},
	{args: []string{"cloud"}},
	{args: []string{"cloud", "--json"}},
	{args: []string{"history", "--since", "all"}},
	{args: []string{"spend"}},
	{args: []string{"status", "--watch", "--interval", "10s"}, goesOn: true},
	{args: []string{"--headless"}, goesOn: true},
}

// cloudFiles are the files that only the services need.
var cloudFiles = []string{devinFile, cursorFile, cursorAuth}

// TestNoConsentFiles has the kernel tell of every opening of a file that only the services
// need: ordinary files, and pipes, which would hold who opens them.
func TestNoConsentFiles(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "timeout")
	for name, place := range map[string]func(*alone, string) error{
		"files": func(_ *alone, file string) error { return os.WriteFile(file, nil, 0o600) },
		"pipes": func(_ *alone, file string) error { return syscall.Mkfifo(file, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAlone(t)
			var files []string
			for _, file := range cloudFiles {
				file = filepath.Join(a.home, filepath.FromSlash(file))
				files = append(files, file)
				a.check(os.MkdirAll(filepath.Dir(file), 0o700))
				a.check(place(a, file))
			}
			a.editor(deskKey)
			opened := openings(t, files)
			for _, c := range outside {
				command := append([]string{shipped(t)}, c.args...)
				if c.goesOn {
					command = append([]string{"timeout", "-s", "INT", "3"}, command...)
				}
				a.exec(command[0], command[1:]...)
				if n := opened(); n != 0 {
					t.Errorf("windsock %q opens %d of them", c.args, n)
				}
			}
			file, err := os.OpenFile(files[0], os.O_RDONLY|syscall.O_NONBLOCK, 0)
			a.check(err)
			a.check(file.Close())
			if n := opened(); n != 1 {
				t.Errorf("the kernel tells of %d openings, and there was one", n)
			}
		})
	}
}

// openings returns how many openings of the files there were since the last time.
func openings(t *testing.T, files []string) func() int {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	for _, file := range files {
		if _, err := unix.InotifyAddWatch(fd, file, unix.IN_OPEN); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		buffer := make([]byte, 1<<16)
		n, err := unix.Read(fd, buffer)
		if errors.Is(err, unix.EAGAIN) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		return n / unix.SizeofInotifyEvent // the events of a file have no name
	}
}

// TestNoConsent watches all commands of a person who is signed in everywhere and has
// allowed nothing: they connect to nothing but this computer, and open no file that only
// the services need. The files are ordinary ones, since Windsock opens no others.
func TestNoConsent(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "strace")
	a := newAlone(t)
	token := cursorToken(time.Time{})
	a.devin(devinToken, "https://"+devinHost)
	a.cursor(token)
	a.write(cursorAuth, fmt.Sprintf(`{"accessToken":%q}`, token))
	a.check(simtest.SignIn(filepath.Join(a.home, ".config", "Windsurf"), simtest.Auth{Key: deskKey, Scenario: "quota_fresh"}))
	for _, c := range outside {
		for _, call := range a.trace(t, c.goesOn, c.args...) {
			if connected := call.away(); connected != "" {
				t.Errorf("windsock %q connects to %s", c.args, connected)
			}
			for _, file := range cloudFiles {
				if strings.HasPrefix(call.name, "open") && strings.Contains(call.args, filepath.FromSlash(file)+`"`) {
					t.Errorf("windsock %q opens %s", c.args, file)
				}
			}
		}
	}
	if asked := a.services.Asked(); asked != nil {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

// TestConsent watches all commands of a person who has allowed both services: they connect
// to the proxy, beside this computer's own sockets, and ask it for the allowed hosts alone.
func TestConsent(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "strace")
	a := newAlone(t)
	token := cursorToken(time.Time{})
	a.devin(devinToken, "https://"+devinHost)
	a.cursor(token)
	a.opens(cloud.Account{Token: devinToken, Windsurf: "quota_tight"})
	a.opens(cloud.Account{Token: token, Cursor: "individual"})
	a.allows("devin-cli@"+devinHost, "cursor@"+cursorHost)
	for _, c := range outside {
		for _, call := range a.trace(t, c.goesOn, c.args...) {
			if connected := call.away(); connected != "" {
				t.Errorf("windsock %q connects to %s", c.args, connected)
			}
		}
	}
	asked := a.services.Asked()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{cursorHost + ":443", devinHost + ":443"}, slices.Compact(asked)); diff != "" {
		t.Errorf("the proxy was asked for (-want +got):\n%s", diff)
	}
}

// TestNoConsentWithoutNetwork needs no strace: in a network of its own, in which there is
// nothing but the loopback, the kernel counts what was to leave. Sign-ins are there.
func TestNoConsentWithoutNetwork(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "unshare", "ip", "curl")
	if out, err := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("no network namespace: %v: %s", err, out)
	}
	a := newAlone(t)
	a.devin(devinToken, "https://"+devinHost)
	a.cursor(cursorToken(time.Time{}))
	a.editor(deskKey)
	program := shipped(t)
	inside := func(command ...string) int {
		script := `ip link set lo up && { "$@" >&2; true; } && awk '$1 == "Ip:" && $2 ~ /[0-9]/ { n += $13 } END { print n }' /proc/net/snmp`
		r := a.exec("unshare", append([]string{"--user", "--map-root-user", "--net", "sh", "-c", script, "sh", "env", "-u", "HTTPS_PROXY"}, command...)...)
		var n int
		if _, err := fmt.Sscan(r.stdout, &n); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return n
	}
	if inside("curl", "-sS", "-m", "1", "--noproxy", "*", "http://192.0.2.1/") == 0 {
		t.Fatal("the kernel does not count")
	}
	for _, c := range outside {
		command := append([]string{program}, c.args...)
		if c.goesOn {
			command = append([]string{"timeout", "-s", "INT", "3"}, command...)
		}
		if n := inside(command...); n != 0 {
			t.Errorf("windsock %q tried to leave the computer %d times", c.args, n)
		}
	}
}

// A call is a system call, as strace tells it.
type call struct{ name, args string }

var (
	callLine   = regexp.MustCompile(`^\d+ +(?:<\.\.\. )?(\w+)(.*)$`)
	internetTo = regexp.MustCompile(`sin6?_port=htons\((\d+)\).*(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)")`)
)

// away is where a call leads to that leaves this computer; "" if it does not.
func (c call) away() string {
	if !slices.Contains([]string{"connect", "sendto", "sendmsg", "sendmmsg"}, c.name) {
		return ""
	}
	to := internetTo.FindStringSubmatch(c.args)
	if to == nil {
		return ""
	}
	if ip := net.ParseIP(to[2] + to[3]); ip != nil && ip.IsLoopback() {
		return ""
	}
	return to[2] + to[3] + " port " + to[1]
}

// trace runs the program that people get and returns what it, and all that it starts, asked
// of the kernel.
func (a *alone) trace(t *testing.T, goesOn bool, args ...string) []call {
	t.Helper()
	log := filepath.Join(a.dir, "trace")
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", append([]string{
		"-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg,open,openat,openat2", "-s", "4096", "-o", log, shipped(t),
	}, args...)...)
	cmd.Env = a.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output lockedBuffer
	cmd.Stdout, cmd.Stderr = &output, &output
	a.check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if goesOn {
		// It has looked for figures once when it has written to the history, or said what it
		// has found.
		waitFor(t, "a look for figures", func() bool {
			content, _ := os.ReadFile(filepath.Join(a.home, ".local/state/windsock/windsock.log")) // soon there
			return strings.Contains(output.String(), "\n") || bytes.Contains(content, []byte("figures"))
		})
		a.check(syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	}
	<-ended
	if ctx.Err() != nil {
		t.Fatalf("windsock %q goes on: %s", args, output.String())
	}
	text, err := os.ReadFile(log)
	a.check(err)
	var calls []call
	for line := range strings.Lines(string(text)) {
		if m := callLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			calls = append(calls, call{m[1], m[2]})
		}
	}
	if len(calls) == 0 {
		t.Fatalf("windsock %q: strace has seen nothing: %s", args, output.String())
	}
	return calls
}
