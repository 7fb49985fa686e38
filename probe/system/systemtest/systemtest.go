// Package systemtest is a system of plain values with servers that listen on it, for
// tests of server discovery.
package systemtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"windsock/probe/signin"
	"windsock/probe/system"
)

// Token is the token of every process of a Fake.
const Token = "11111111-2222-4333-8444-555555555555"

// Fake is a system.System. The last process added is the newest. Its fields may be
// changed while no method runs.
type Fake struct {
	Procs []system.Process
	Ports map[int][]netip.AddrPort
	Owner error // the result of Verify
	// NoPorts is why ports cannot be listed, and NoProcesses why processes cannot.
	NoPorts, NoProcesses error

	mu sync.Mutex // guards the fields above
}

// Processes implements system.System.
func (f *Fake) Processes(context.Context) ([]system.Process, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]system.Process(nil), f.Procs...), f.NoProcesses
}

// Listeners implements system.System.
func (f *Fake) Listeners(_ context.Context, p system.Process) ([]netip.AddrPort, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Ports[p.PID], f.NoPorts
}

// Verify implements system.System.
func (f *Fake) Verify(context.Context, system.Process, netip.AddrPort) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Owner
}

// Add adds a language server in a directory of Windsurf's that listens on the given
// servers' ports. The first PID is 100.
func (f *Fake) Add(args string, urls ...string) {
	f.AddProgram("/opt/windsurf/language_server", strings.Fields(args), urls...)
}

// AddProgram is Add for any executable, if discovery looks at its process. Its
// environment holds the token as Windsurf's does.
func (f *Fake) AddProgram(executable string, args []string, urls ...string) {
	file := system.Program(executable, append([]string{executable}, args...))
	if file == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	pid := 100 + len(f.Procs)
	f.Procs = append(f.Procs, system.NewProcess(pid, uint64(pid), file, args, []string{"WINDSURF_CSRF_TOKEN=" + Token}, nil))
	if f.Ports == nil {
		f.Ports = map[int][]netip.AddrPort{}
	}
	for _, url := range urls {
		_, hostPort, _ := strings.Cut(url, "://")
		f.Ports[pid] = append(f.Ports[pid], netip.MustParseAddrPort(hostPort))
	}
}

// SignIn makes the directories of a user who has signed in with these keys, at most one
// in each place of the older sign-in.
func SignIn(tb testing.TB, keys ...string) signin.Dirs {
	tb.Helper()
	home := tb.TempDir()
	dirs := signin.Below(home)
	dirs.Data = filepath.Join(home, "data")
	for i, key := range keys {
		dir := filepath.Join([]string{dirs.Home, dirs.Data}[i], ".codeium")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"apiKey":"`+key+`"}`), 0o600)); err != nil {
			tb.Fatal(err)
		}
	}
	return dirs
}

// Serve answers GetUnleashData like a server if the token is right, and passes all
// other requests on to status.
func Serve(tb testing.TB, token string, status http.HandlerFunc) *httptest.Server {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Codeium-Csrf-Token") != token:
			Answer(w, http.StatusForbidden, `{"code":"permission_denied","message":"wrong"}`)
		case strings.HasSuffix(r.URL.Path, "/GetUnleashData"):
			Answer(w, http.StatusOK, `{}`)
		default:
			status(w, r)
		}
	}))
	tb.Cleanup(server.Close)
	return server
}

// Answer writes JSON.
func Answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
