package system

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordedLsof is the output of lsof 4.95 for "-F pftn". Its manual describes the same
// fields for every system.
const recordedLsof = `p18881
f10
tIPv4
n127.0.0.1:53919
f11
tIPv6
n[::1]:44219
f12
tIPv6
n*:47081
f13
tIPv4
n*:41033
p18999
f3
tIPv4
n192.168.1.7:8080
`

func TestParseLsof(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, output string
		want         []string // address and PID
	}{
		{"recorded", recordedLsof, []string{
			"127.0.0.1:53919 18881", "[::1]:44219 18881", "[::]:47081 18881", "0.0.0.0:41033 18881", "192.168.1.7:8080 18999",
		}},
		{"without_types", "p7\nf3\nn127.0.0.1:1\nf4\nn[::1]:2\n", []string{"127.0.0.1:1 7", "[::1]:2 7"}},
		{"more_fields", "p7\ncjo\nu501\nLjo\nf3\ntIPv4\nPTCP\nn127.0.0.1:1\nTST=LISTEN\nTQR=0\n", []string{"127.0.0.1:1 7"}},
		{"scoped", "p7\nf3\ntIPv6\nn[fe80::1%lo0]:5000\n", []string{"[fe80::1%lo0]:5000 7"}},
		{"mapped", "p7\nf3\ntIPv6\nn[::ffff:127.0.0.1]:5000\n", []string{"127.0.0.1:5000 7"}},
		// A server of Node listens like that on a Mac (mostafa-wahied/portracker, issue 5).
		{"every_address_of_both_families", "p56079\nf21\ntIPv6\nn*:4211\n", []string{"[::]:4211 56079"}},
		// Without a selection of sockets lsof also lists directories, programs and pipes.
		{"no_sockets", "p7\nfcwd\ntDIR\nn/Users/jo/a b:80\nftxt\ntREG\nn/usr/lib/dyld\nf1\ntPIPE\nn->0x1d4f6f0c\nf2\ntIPv4\nn*:80\n", []string{"0.0.0.0:80 7"}},
		{"two_descriptors_of_a_socket", "p7\nf3\ntIPv4\nn*:80\nf9\ntIPv4\nn*:80\n", []string{"0.0.0.0:80 7", "0.0.0.0:80 7"}},
		{"connection", "p7\nf3\ntIPv4\nn127.0.0.1:1->127.0.0.1:2\n", nil},
		{"type_is_of_one_file", "p7\nf3\ntIPv6\nf4\nn*:1\n", []string{"0.0.0.0:1 7"}},
		{"service_names", "p7\nf3\ntIPv4\nn*:http-alt\nf4\nnmymac.local:80\n", nil},
		{"bad_ports", "p7\nf3\nn*:*\nn127.0.0.1:0\nn127.0.0.1:65536\nn127.0.0.1:-1\nn127.0.0.1\nn\nn[::1:5\n", nil},
		{"no_process", "f3\ntIPv4\nn127.0.0.1:1\npx\nn127.0.0.1:2\np-4\nn127.0.0.1:3\n", nil},
		{"crlf_and_no_end", "p7\r\nf3\r\ntIPv4\r\n\r\nn127.0.0.1:1", []string{"127.0.0.1:1 7"}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, l := range parseLsof([]byte(tt.output)) {
				got = append(got, fmt.Sprint(l.addr, " ", l.holder))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzLsof: for any output there is no panic, and every socket has a process, an
// address and a port.
func FuzzLsof(f *testing.F) {
	f.Add([]byte(recordedLsof))
	f.Add([]byte("p1\nn*:1\nn[]:1\nn:1\nn[::1%]:2"))
	f.Fuzz(func(t *testing.T, output []byte) {
		for _, l := range parseLsof(output) {
			if l.holder == 0 || !l.addr.IsValid() || l.addr.Port() == 0 {
				t.Errorf("%+v", l)
			}
		}
	})
}

// fakeLsof is a program that answers like lsof: for one process with own, for a port
// with all.
func fakeLsof(t *testing.T, own, all string) lsof {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lsof")
	script := "#!/bin/sh\ncase \" $* \" in *\" -a -p 7 -iTCP \"*) " + own + ";; *\" -iTCP:80 \"*) " + all + ";; *) exit 9;; esac\n"
	syscall.ForkLock.RLock() // no child may hold the file open for writing when it is run
	err := os.WriteFile(file, []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return lsof{program: file}
}

func TestLsofVerify(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell, and no lsof")
	}
	const (
		exact   = `printf 'p7\nf3\ntIPv4\nn127.0.0.1:80\n'`
		every   = `printf 'p7\nf3\ntIPv4\nn*:80\n'`
		between = `printf 'p7\nf3\ntIPv4\nn*:80\np8\nf3\ntIPv4\nn127.0.0.1:80\n'`
		fails   = `echo no >&2; exit 1`
		// lsof says so of volumes that do not answer. -w stops that, but not on each system.
		warns = `; echo "lsof: WARNING: can't stat() nfs file system /Volumes/x" >&2`
	)
	tests := []struct {
		name, own, all string
		want           string
	}{
		{"own_address", exact, fails, "<nil>"},
		{"every_address", every, every, "<nil>"},
		{"stranger_in_between", every, between, ErrNotOwner.Error()},
		{"gone_in_between", every, "exit 1", ErrNotOwner.Error()},
		{"other_port", `printf 'p7\nf3\ntIPv4\nn127.0.0.1:81\n'`, fails, ErrNotOwner.Error()},
		{"nothing", "exit 1", fails, ErrNotOwner.Error()},
		{"a_part_is_missing", exact + "; exit 1", fails, "<nil>"},
		{"warns", exact + warns, fails, "<nil>"},
		{"warns_and_a_part_is_missing", every + warns + "; exit 1", every + warns + "; exit 1", "<nil>"},
		{"fails", fails, fails, "list sockets by lsof: exit status 1"},
		{"crashes", exact + "; kill -9 $$", fails, "list sockets by lsof: signal: killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := fakeLsof(t, tt.own, tt.all)
			if got := fmt.Sprint(l.verify(t.Context(), 7, netip.MustParseAddrPort("127.0.0.1:80"))); got != tt.want {
				t.Errorf("verify = %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("no_program", func(t *testing.T) {
		t.Parallel()
		_, err := lsof{program: filepath.Join(t.TempDir(), "jo's-lsof")}.of(t.Context(), 7)
		if err == nil || strings.Contains(err.Error(), "jo's") {
			t.Errorf("error %v, want one without a path", err)
		}
	})
	t.Run("no_time", func(t *testing.T) {
		t.Parallel()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := fakeLsof(t, exact, fails).of(over, 7); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// A child of lsof that keeps the output open is not waited for.
func TestLsofLeavesAChild(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell, and no lsof")
	}
	for name, ends := range map[string]string{"killed": "wait", "ended": "exit 0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "child")
			l := fakeLsof(t, "sleep 600 & echo $! >'"+file+"'; "+ends, "exit 9")
			told := make(chan error, 1)
			go func() { // ends at the latest when the child is killed
				_, err := l.of(t.Context(), 7)
				told <- err
			}()
			select {
			case err := <-told:
				if err == nil {
					t.Error("no error")
				}
			case <-time.After(30 * time.Second):
				t.Error("it goes on")
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			child, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if p, err := os.FindProcess(child); err == nil {
				_ = p.Kill()
			}
		})
	}
}

// This machine's lsof has the options in use.
func TestRealLsof(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("lsof")
	if err != nil {
		if runtime.GOOS == "linux" && os.Getenv("CI") != "" {
			t.Fatal("needs lsof, which CI has")
		}
		t.Skip("needs lsof")
	}
	listen := func(network, addr string) netip.AddrPort {
		t.Helper()
		l, err := net.Listen(network, addr)
		if err != nil {
			t.Skip(err) // the machine has no IPv6
		}
		t.Cleanup(func() { _ = l.Close() })
		return netip.MustParseAddrPort(l.Addr().String())
	}
	four, six, every := listen("tcp4", "127.0.0.1:0"), listen("tcp6", "[::1]:0"), listen("tcp4", "0.0.0.0:0")
	l := lsof{program: program}
	own, err := l.of(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []netip.AddrPort{four, six, every} {
		if !slices.Contains(own, listener{addr, uint64(os.Getpid())}) {
			t.Errorf("%v is not among %v", addr, own)
		}
		if err := l.verify(t.Context(), os.Getpid(), addr); err != nil {
			t.Errorf("verify %v: %v", addr, err)
		}
		if err := l.verify(t.Context(), os.Getppid(), addr); !errors.Is(err, ErrNotOwner) {
			t.Errorf("verify %v of another process: %v", addr, err)
		}
	}
}
