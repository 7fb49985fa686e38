package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"windsock/probe/system"
	"windsock/probe/system/systemtest"
)

func TestHandshake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"object", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"context":{}}`) }, "accepted"},
		{"connect_error", func(w http.ResponseWriter, _ *http.Request) { answer(w, 400, `{"code":"invalid_argument"}`) }, "accepted"},
		{"wrong_token", func(w http.ResponseWriter, _ *http.Request) { answer(w, 403, `{"code":"permission_denied"}`) }, "refused"},
		{"missing_token", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 401, `{"code":"unauthenticated","message":"missing CSRF token"}`)
		}, "refused"},
		{"signed_out", func(w http.ResponseWriter, _ *http.Request) { answer(w, 401, `{"code":"unauthenticated"}`) }, "accepted"},
		{"bare_401", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "no"},
		{"bare_404", http.NotFound, "no"},
		{"bare_405", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(405) }, "no"},
		{"bare_415", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(415) }, "no"},
		{"json_404_of_another", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"error":"not found"}`) }, "no"},
		{"unknown_code", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"code":"not-there"}`) }, "no"},
		{"numeric_code", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"code":404}`) }, "no"},
		{"html", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "no"},
		{"json_list", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `[]`) }, "no"},
		{"cut_off", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"context":`) }, "no"},
		{"deep", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, deep(2_000_000)) }, "no"},
	}
	for _, tt := range tests {
		for _, start := range []func(*httptest.Server){(*httptest.Server).Start, (*httptest.Server).StartTLS} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				listening := httptest.NewUnstartedServer(tt.answer)
				listening.Config.ErrorLog = log.New(io.Discard, "", 0)
				start(listening)
				defer listening.Close()
				sys := windsurfAt(listening.URL)
				s := &server{finder: sys.finder(t), process: sys.Procs[0], addrs: sys.Ports[100]}
				err := s.handshake(t.Context())
				got := "no"
				switch {
				case errors.Is(err, errRefused):
					got = "refused"
				case err == nil:
					got = "accepted"
					if s.base != listening.URL {
						t.Errorf("base = %s, want %s", s.base, listening.URL)
					}
				}
				if got != tt.want {
					t.Errorf("got %s (%v), want %s", got, err, tt.want)
				}
			})
		}
	}
}

// A redirect counts as the response, even one to the same server. Neither the token nor
// the key is sent to another place.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for method, want := range map[string]Code{"GetUnleashData": NoPort, "GetUserStatus": BadResponse} {
			t.Run(fmt.Sprint(method, status), func(t *testing.T) {
				t.Parallel()
				var followed atomic.Int32
				listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch path.Base(r.URL.Path) {
					case "elsewhere":
						followed.Add(1)
						answer(w, 200, "{}")
					case method:
						http.Redirect(w, r, "/elsewhere", status)
					default:
						answer(w, 200, "{}")
					}
				}))
				defer listening.Close()
				sys := windsurfAt(listening.URL)
				_, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
				if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != want {
					t.Errorf("UserStatus: %v, want %s", err, want)
				}
				if n := followed.Load(); n > 0 {
					t.Errorf("the redirect was followed %d times", n)
				}
			})
		}
	}
}

// A silent port does not keep the answering one from being found.
func TestHandshakeBesideSilentPort(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	listening := rpc(t, nil)
	sys := windsurfAt("http://"+silent.Addr().String(), listening.URL)
	s := &server{finder: sys.finder(t), process: sys.Procs[0], addrs: sys.Ports[100]}
	err = s.handshake(t.Context())
	if err != nil || s.base != listening.URL {
		t.Errorf("handshake = %s, %v", s.base, err)
	}
}

// listenAsStranger accepts connections and returns what each received.
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

// nothingReceived checks that a connection came and received nothing.
func nothingReceived(t *testing.T, received <-chan []byte) {
	t.Helper()
	select {
	case data := <-received:
		if len(data) > 0 {
			t.Errorf("the stranger received %q", data)
		}
	case <-time.After(time.Minute):
		t.Error("the connection to the stranger stays open")
	}
}

// If the port belongs to another process, it must not receive a byte.
func TestNothingIsSentToAStranger(t *testing.T) {
	t.Parallel()
	addr, received := listenAsStranger(t)
	sys := &fakeSystem{systemtest.Fake{Owner: system.ErrNotOwner}}
	sys.Add("--ide_name windsurf", "http://"+addr.String())
	_, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != NoPort || !errors.Is(err, system.ErrNotOwner) {
		t.Errorf("UserStatus: %v", err)
	}
	for range 2 { // http, then https
		nothingReceived(t, received)
	}
}

// Addresses other than loopback are never dialled.
func TestOnlyLoopbackIsDialled(t *testing.T) {
	t.Parallel()
	client := newClient(&fakeSystem{}, system.Process{}, netip.MustParseAddrPort("192.0.2.1:80"))
	response, err := client.Get("http://192.0.2.1/")
	if err == nil {
		_ = response.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("error = %v", err)
	}
}

// No proxy is used, whatever the environment says. Go would skip a proxy for a loopback
// address anyway, so the test checks the client.
func TestNoProxyIsUsed(t *testing.T) {
	t.Parallel()
	client := newClient(&fakeSystem{}, system.Process{}, netip.MustParseAddrPort("127.0.0.1:80"))
	if used, ok := client.Transport.(transport); !ok || used.Proxy != nil {
		t.Errorf("the client's transport %#v has a proxy", client.Transport)
	}
}

// The description of each kind of port.
func TestRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"other_process", &noAnswerError{&ownerError{system.ErrNotOwner}}, "belongs to another process"},
		{"owner_unknown", &noAnswerError{&ownerError{errors.New("read /home/alice: no")}}, "could not be told to be its own"},
		{"other_protocol", &notConnectError{404}, "answers with status 404, not as a language server does"},
		{"silent", &noAnswerError{context.DeadlineExceeded}, "does not answer in time"},
		{"hangs_up", &noAnswerError{io.EOF}, "hangs up"},
		{"refused", &noAnswerError{syscall.ECONNREFUSED}, "gives the error: connection refused"},
		{"garbage", errors.New(`malformed HTTP response "key"`), "gives the error: unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refusal(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
