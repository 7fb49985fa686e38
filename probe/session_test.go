package probe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	testToken = "11111111-2222-4333-8444-555555555555"
	testKey   = "sk-ws-01-test-key"
)

// fakeSystem is a system of plain values. The last process added is the newest.
type fakeSystem struct {
	mu    sync.Mutex // guards the fields below
	procs []process
	ports map[int][]netip.AddrPort
	owner error
}

func (s *fakeSystem) processes(context.Context) ([]process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]process(nil), s.procs...), nil
}

func (s *fakeSystem) listeners(p process) ([]netip.AddrPort, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ports[p.pid], nil
}

func (s *fakeSystem) verify(process, netip.AddrPort) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// add adds a process that listens at the given servers.
func (s *fakeSystem) add(args string, urls ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pid := 100 + len(s.procs)
	s.procs = append(s.procs, newProcess(pid, uint64(pid), "/x/language_server", strings.Fields(args), []string{"WINDSURF_CSRF_TOKEN=" + testToken}, nil))
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
	f.where.data = filepath.Join(home, "data")
	f.system = s
	for i, key := range keys {
		dir := filepath.Join([]string{f.where.home, f.where.data}[i], ".codeium")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"apiKey":"`+key+`"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// rpc answers GetUnleashData as a server does and hands GetUserStatus on.
func rpc(t *testing.T, status http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("x-codeium-csrf-token") != testToken:
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

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	good := rpc(t, nil)
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"object", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"context":{}}`) }, "accepted"},
		{"connect_error", func(w http.ResponseWriter, _ *http.Request) { answer(w, 400, `{"code":"invalid_argument"}`) }, "accepted"},
		{"wrong_token", func(w http.ResponseWriter, _ *http.Request) { answer(w, 403, `{"code":"permission_denied"}`) }, "refused"},
		{"bare_404", http.NotFound, "no"},
		{"bare_405", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(405) }, "no"},
		{"bare_415", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(415) }, "no"},
		{"json_404_of_another", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"error":"not found"}`) }, "no"},
		{"unknown_code", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"code":"not-there"}`) }, "no"},
		{"numeric_code", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"code":404}`) }, "no"},
		{"html", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "no"},
		{"json_list", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `[]`) }, "no"},
		{"cut_off", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"context":`) }, "no"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, good.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}, "no"},
	}
	for _, tt := range tests {
		for _, start := range []func(*httptest.Server){(*httptest.Server).Start, (*httptest.Server).StartTLS} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewUnstartedServer(tt.answer)
				server.Config.ErrorLog = log.New(io.Discard, "", 0)
				start(server)
				defer server.Close()
				sys := &fakeSystem{}
				sys.add("--ide_name windsurf", server.URL)
				e, err := handshake(t.Context(), sys, sys.procs[0], sys.ports[100])
				got := "no"
				switch {
				case errors.Is(err, errRefused):
					got = "refused"
				case err == nil:
					got = "accepted"
					if e.base != server.URL {
						t.Errorf("base = %s, want %s", e.base, server.URL)
					}
				}
				if got != tt.want {
					t.Errorf("got %s (%v), want %s", got, err, tt.want)
				}
			})
		}
	}
}

// A port that takes connections and says nothing must not hold up the one that
// answers, and no port is sent an API key.
func TestHandshakeBesideSilentPort(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	server := rpc(t, nil)
	sys := &fakeSystem{}
	sys.add("--ide_name windsurf", "http://"+silent.Addr().String(), server.URL)
	started := time.Now()
	e, err := handshake(t.Context(), sys, sys.procs[0], sys.ports[100])
	if err != nil || e.base != server.URL {
		t.Errorf("handshake = %s, %v", e.base, err)
	}
	if waited := time.Since(started); waited >= handshakeTimeout {
		t.Errorf("waited %v for the silent port", waited)
	}
}

// listenAsStranger takes connections and tells what came in on each.
func listenAsStranger(t *testing.T) (netip.AddrPort, <-chan []byte) {
	t.Helper()
	stranger, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Close() })
	received := make(chan []byte, 8)
	go func() { // ends when the listener closes
		for {
			conn, err := stranger.Accept()
			if err != nil {
				close(received)
				return
			}
			data, _ := io.ReadAll(conn)
			_ = conn.Close()
			received <- data
		}
	}()
	return netip.MustParseAddrPort(stranger.Addr().String()), received
}

// nothingReceived checks that a connection has come, and nothing on it.
func nothingReceived(t *testing.T, received <-chan []byte) {
	t.Helper()
	select {
	case data := <-received:
		if len(data) > 0 {
			t.Errorf("the stranger received %q", data)
		}
	case <-time.After(10 * time.Second):
		t.Error("the connection to the stranger stays open")
	}
}

// When the port turns out to be another process's, not one byte may reach it.
func TestNothingIsSentToAStranger(t *testing.T) {
	t.Parallel()
	addr, received := listenAsStranger(t)
	sys := &fakeSystem{owner: errNotOwner}
	sys.add("--ide_name windsurf", "http://"+addr.String())
	_, err := sys.finder(t, testKey).Find(t.Context(), Variants())
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != NoPort || !errors.Is(err, errNotOwner) {
		t.Errorf("Find: %v", err)
	}
	for range 2 { // https, then http
		nothingReceived(t, received)
	}
}

func TestUserStatusRequest(t *testing.T) {
	t.Parallel()
	const body = `{"userStatus":{"future":{"x":[1,2.50]}},  "planInfo":{}}`
	var requests []map[string]any
	server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
		var message struct{ Metadata map[string]any }
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		message.Metadata["path"], message.Metadata["type"] = r.URL.Path, r.Header.Get("Content-Type")
		requests = append(requests, message.Metadata)
		answer(w, 200, body)
	})
	sys := &fakeSystem{}
	sys.add("--ide_name windsurf-next --windsurf_version 1.9.5", server.URL)
	raw, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	again, err := session.UserStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]byte{raw, again} {
		if string(got) != body {
			t.Errorf("answer = %s, want it untouched", got)
		}
	}
	if diff := cmp.Diff(Server{Variant: "windsurf-next", App: "Windsurf Next", PID: 100}, session.Server()); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{
		"path": "/exa.language_server_pb.LanguageServerService/GetUserStatus", "type": "application/json",
		"apiKey": testKey, "ideName": "windsurf-next", "extensionName": "windsurf-next",
		"ideVersion": "1.9.5", "extensionVersion": "1.9.5", "ideType": "desktop", "locale": "en", "planName": "Unset",
	}
	fresh := []string{"requestId", "sessionId", "triggerId", "lsTimestamp", "deviceFingerprint", "os", "hardware"}
	for _, request := range requests {
		for _, field := range fresh {
			if text, ok := request[field].(string); !ok || text == "" {
				t.Errorf("%s = %v", field, request[field])
			}
		}
		ignore := cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return strings.Contains(strings.Join(fresh, " "), k) })
		if diff := cmp.Diff(want, request, ignore); diff != "" {
			t.Error(diff)
		}
	}
	first, second := requests[0]["requestId"].(string), requests[1]["requestId"].(string)
	if len(requests) != 2 || first >= second || requests[0]["triggerId"] == requests[1]["triggerId"] || requests[0]["sessionId"] != requests[1]["sessionId"] {
		t.Errorf("ids of two requests: %v, %v", requests[0], requests[1])
	}
}

// A key that the server does not know gives way to the next, and the one that
// worked is the first to be tried afterwards.
func TestKeysGiveWay(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"unauthenticated": `{"code":"unauthenticated"}`,
		"sentence":        `{"code":"internal","message":"failed to get primary API key: none"}`,
		"denied_sentence": `{"code":"permission_denied","message":"Invalid token"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []string
			server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				if strings.Contains(string(data), "old-key") {
					seen = append(seen, "old")
					answer(w, 401, refusal)
					return
				}
				seen = append(seen, "new")
				answer(w, 200, "{}")
			})
			sys := &fakeSystem{}
			sys.add("--ide_name windsurf", server.URL)
			_, session, err := sys.finder(t, "old-key", "new-key").UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := session.UserStatus(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"old", "new", "new"}, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRestartBetweenCalls(t *testing.T) {
	t.Parallel()
	down := map[string]func(old *httptest.Server){
		"refused": (*httptest.Server).Close,
		"reset": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			})
		},
		"broken_off": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		},
		"new_token": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answer(w, 403, `{"code":"permission_denied"}`)
			})
		},
	}
	for name, takeDown := range down {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"old"}`) })
			sys := &fakeSystem{}
			sys.add("--ide_name windsurf", old.URL)
			_, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			session.Close()
			takeDown(old)
			_, err = session.UserStatus(t.Context())
			if err == nil || !strings.Contains(err.Error(), "before the fresh discovery: call GetUserStatus: ") {
				t.Fatalf("a call of a server that is gone: %v; want both errors", err)
			}
			// Another variant is no restart of this one.
			sys.add("--ide_name windsurf-next", rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"next"}`) }).URL)
			fresh := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"new"}`) })
			sys.add("--ide_name windsurf", fresh.URL)
			raw, err := session.UserStatus(t.Context())
			if err != nil || string(raw) != `{"from":"new"}` || session.Server().PID != 102 {
				t.Errorf("after the restart: %s, %v, %v", raw, err, session.Server())
			}
		})
	}
}

// Every way in which a server can fail: which code a person is told, and that
// no secret and nothing of the answer is in it.
func TestUserStatusFailures(t *testing.T) {
	t.Parallel()
	leak := "leak-" + testKey + testToken
	reply := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { answer(w, status, body) }
	}
	tests := []struct {
		name    string
		status  http.HandlerFunc
		want    Code
		finding string
	}{
		{"hang", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection goes unseen
			<-r.Context().Done()
		}, Timeout, "took too long"},
		{"reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, BadResponse, "connection broke"},
		{"status_line", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 500 "+leak+"\r\nContent-Length: 0\r\n\r\n")
			_ = conn.Close()
		}, BadResponse, "no Connect answer"},
		{"malformed_http", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 "+leak+"\r\n\r\n")
			_ = conn.Close()
		}, BadResponse, "no Connect answer"},
		{"content_type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/"+leak)
		}, BadResponse, "no Connect answer"},
		{"content_encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", leak)
			answer(w, 200, "{}")
		}, BadResponse, "no Connect answer"},
		{"bare_500", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, leak, 500) }, BadResponse, "no Connect answer"},
		{"garbage_200", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, leak) }, BadResponse, "no Connect answer"},
		{"huge", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 17 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		}, BadResponse, "more than 16 MB"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+leak, http.StatusTemporaryRedirect)
		}, BadResponse, "no Connect answer"},
		{"internal", reply(500, `{"code":"internal","message":"`+leak+`"}`), BadResponse, "the error internal"},
		{"unauthenticated", reply(401, `{"code":"unauthenticated","message":"`+leak+`"}`), NotSignedIn, "knows no account"},
		{"status_is_nil", reply(500, `{"code":"unknown","message":"user status is nil"}`), NotSignedIn, "knows no account"},
		{"permission_denied", reply(403, `{"code":"permission_denied","message":"`+leak+`"}`), Rejected, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := rpc(t, tt.status)
			sys := &fakeSystem{}
			sys.add("--ide_name windsurf", server.URL)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			raw, _, err := sys.finder(t, testKey).UserStatus(ctx, Variants())
			failure, ok := errors.AsType[*Failure](err)
			if !ok {
				t.Fatalf("UserStatus = %s, %v; want a Failure", raw, err)
			}
			if failure.code != tt.want || !strings.Contains(failure.Sentence(), tt.finding) {
				t.Errorf("%s: %s; want %s: %s", failure.code, failure.Sentence(), tt.want, tt.finding)
			}
			for _, told := range []string{failure.Sentence(), failure.Error()} {
				if strings.Contains(told, "leak") || strings.Contains(told, testKey) || strings.Contains(told, testToken) {
					t.Errorf("tells a secret: %s", told)
				}
			}
		})
	}
}

// A variant that fails gives way to the next; if all fail, the furthest is told.
func TestVariantsGiveWay(t *testing.T) {
	t.Parallel()
	signedOut := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 401, `{"code":"unauthenticated"}`) })
	works := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	const windsurf, next = "--ide_name windsurf", "--ide_name windsurf-next"
	tests := []struct {
		name string
		lay  func(*fakeSystem)
		want string // PID of the server, or the failure's code and app
	}{
		{"windsurf_before_next", func(s *fakeSystem) { s.add(windsurf, works.URL); s.add(next, works.URL) }, "100"},
		{"next_alone", func(s *fakeSystem) { s.add(next, works.URL) }, "100"},
		{"newest_first", func(s *fakeSystem) { s.add(windsurf, works.URL); s.add(windsurf, works.URL) }, "101"},
		{"twin_without_port", func(s *fakeSystem) { s.add(windsurf, works.URL); s.add(windsurf) }, "100"},
		{"signed_out_gives_way", func(s *fakeSystem) { s.add(windsurf, signedOut.URL); s.add(next, works.URL) }, "101"},
		{"antigravity_never", func(s *fakeSystem) { s.add("--ide_name antigravity", works.URL) }, "not_running Windsurf"},
		{"nothing", func(*fakeSystem) {}, "not_running Windsurf"},
		{"furthest_is_told", func(s *fakeSystem) { s.add(windsurf); s.add(next, signedOut.URL) }, "not_signed_in Windsurf Next"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &fakeSystem{}
			tt.lay(sys)
			_, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
			var got string
			if failure, ok := errors.AsType[*Failure](err); ok {
				got = failure.Code() + " " + failure.app
			} else {
				got = []string{"100", "101"}[session.Server().PID-100]
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A server that says that it is not ready is asked again, and so is one that has
// just started and does not answer the handshake yet.
func TestNotReadyIsAskedAgain(t *testing.T) {
	t.Parallel()
	t.Run("unavailable", func(t *testing.T) {
		t.Parallel()
		calls := 0
		server := rpc(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls++; calls < 3 {
				answer(w, 503, `{"code":"unavailable"}`)
				return
			}
			answer(w, 200, "{}")
		})
		sys := &fakeSystem{}
		sys.add("--ide_name windsurf", server.URL)
		if _, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants()); err != nil || calls != 3 {
			t.Errorf("after %d calls: %v", calls, err)
		}
	})
	for _, starting := range []bool{true, false} {
		t.Run(map[bool]string{true: "starting", false: "old"}[starting], func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					http.NotFound(w, nil)
					return
				}
				answer(w, 200, "{}")
			}))
			defer server.Close()
			sys := &fakeSystem{}
			sys.add("--ide_name windsurf", server.URL)
			sys.procs[0].starting = starting
			_, err := sys.finder(t, testKey).Find(t.Context(), Variants())
			if (err == nil) != starting || (calls.Load() > 1) != starting {
				t.Errorf("after %d calls: %v", calls.Load(), err)
			}
		})
	}
}

// A Session that is given up leaves no connection open.
func TestNoConnectionIsLeft(t *testing.T) {
	t.Parallel()
	var open atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetUnleashData") {
			answer(w, 200, "{}")
			return
		}
		answer(w, 401, `{"code":"unauthenticated"}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			open.Add(1)
		}
		if state == http.StateClosed {
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	sys := &fakeSystem{}
	sys.add("--ide_name windsurf", server.URL)
	for range 5 {
		if _, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants()); err == nil {
			t.Fatal("a refused key passed")
		}
	}
	for deadline := time.Now().Add(5 * time.Second); open.Load() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open", open.Load())
		}
		runtime.Gosched()
	}
}

// Off loopback nothing is dialled, whoever may listen there.
func TestOnlyLoopbackIsDialled(t *testing.T) {
	t.Parallel()
	client := newClient(&fakeSystem{}, process{}, netip.MustParseAddrPort("192.0.2.1:80"))
	response, err := client.Get("http://192.0.2.1/")
	if err == nil {
		_ = response.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("error = %v", err)
	}
}

// A simulated server is for those who asked for it: its figures are made up.
func TestSimulatedServerIsNotFound(t *testing.T) {
	t.Parallel()
	server := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	sys := &fakeSystem{}
	sys.add("--ide_name windsurf", server.URL)
	sys.procs[0].simulated = true
	finder := sys.finder(t, testKey)
	_, err := finder.Find(t.Context(), Variants())
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != NotRunning {
		t.Errorf("Find: %v, want not_running", err)
	}
	WithProcesses(func(int) bool { return true })(finder)
	if _, err := finder.Find(t.Context(), Variants()); err != nil {
		t.Errorf("for one who asks for it: %v", err)
	}
}
