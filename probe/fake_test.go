package probe

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

	"windsock/probe/system"
)

const (
	testToken = "11111111-2222-4333-8444-555555555555"
	testKey   = "sk-ws-01-test-key"
)

// fakeSystem is a system of plain values. The last process added is the newest.
type fakeSystem struct {
	mu    sync.Mutex // guards the fields below
	procs []system.Process
	ports map[int][]netip.AddrPort
	owner error
	// unlisted is why ports cannot be listed.
	unlisted error
}

func (s *fakeSystem) Processes(context.Context) ([]system.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]system.Process(nil), s.procs...), nil
}

func (s *fakeSystem) Listeners(_ context.Context, p system.Process) ([]netip.AddrPort, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ports[p.PID], s.unlisted
}

func (s *fakeSystem) Verify(context.Context, system.Process, netip.AddrPort) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// add adds a process that listens at the given servers.
func (s *fakeSystem) add(args string, urls ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pid := 100 + len(s.procs)
	s.procs = append(s.procs, system.NewProcess(pid, uint64(pid), "/x/language_server", strings.Fields(args), []string{"WINDSURF_CSRF_TOKEN=" + testToken}, nil))
	if s.ports == nil {
		s.ports = map[int][]netip.AddrPort{}
	}
	for _, url := range urls {
		_, hostPort, _ := strings.Cut(url, "://")
		s.ports[pid] = append(s.ports[pid], netip.MustParseAddrPort(hostPort))
	}
}

// finder returns a Finder on the fake system, with that API key signed in.
func (s *fakeSystem) finder(t *testing.T, keys ...string) *Finder {
	t.Helper()
	home := t.TempDir()
	f := NewFinder(WithHome(home))
	f.where.Data = filepath.Join(home, "data")
	f.system = s
	for i, key := range keys {
		dir := filepath.Join([]string{f.where.Home, f.where.Data}[i], ".codeium")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"apiKey":"`+key+`"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// rpc answers GetUnleashData as a server does and hands GetUserStatus on.
func rpc(t *testing.T, status http.HandlerFunc) *httptest.Server {
	t.Helper()
	return rpcWith(t, testToken, status)
}

func rpcWith(t *testing.T, token string, status http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("x-codeium-csrf-token") != token:
			answer(w, http.StatusForbidden, `{"code":"permission_denied","message":"wrong"}`)
		case strings.HasSuffix(r.URL.Path, "/GetUnleashData"):
			answer(w, http.StatusOK, `{}`)
		default:
			status(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// deep is JSON that nests so many times.
func deep(times int) string {
	return `{"a":` + strings.Repeat("[", times) + strings.Repeat("]", times) + `}`
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
