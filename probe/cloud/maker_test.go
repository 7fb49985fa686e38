package cloud

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"windsock/probe/signin"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const (
	token    = "devin-session-token$planted-token"
	oldToken = "sk-ws-01-planted-token"
)

// jwt is a token of Cursor's.
var jwt = fmt.Sprintf("e30.%s.planted", base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"auth0|user_planted","exp":4000000000}`)))

// home is the home directory of a person, with no sign-in yet.
type home struct {
	tb  testing.TB
	dir string
}

func newHome(tb testing.TB) home {
	tb.Helper()
	return home{tb, tb.TempDir()}
}

func (h home) source(name string) Source {
	h.tb.Helper()
	for _, s := range Sources(signin.Below(h.dir)) {
		if s.Name == name {
			return s
		}
	}
	h.tb.Fatalf("no source %q", name)
	return Source{}
}

func (h home) write(name, text string) {
	h.tb.Helper()
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.tb.Fatal(err)
	}
}

// devin signs in to Devin's command line; url may be empty.
func (h home) devin(token, url string) Source {
	h.tb.Helper()
	h.write(".local/share/devin/credentials.toml", fmt.Sprintf("windsurf_api_key = %q\napi_server_url = %q\n", token, url))
	return h.source("devin-cli")
}

// cursor signs in to Cursor's command line.
func (h home) cursor(token string) Source {
	h.tb.Helper()
	h.write(".config/cursor/auth.json", fmt.Sprintf(`{"accessToken":%q}`, token))
	return h.source("cursor")
}

// editor signs in to Windsurf, as a person of the simulator; url may be empty.
func (h home) editor(token, url string) Source {
	h.tb.Helper()
	auth := simtest.Auth{Key: token, Scenario: "quota_fresh", Account: account.Person("robin")}
	if url != "" {
		auth.Rows = []simtest.Row{{Key: "codeium.windsurf", Value: fmt.Sprintf(`{"apiServerUrl":%q}`, url)}}
	}
	if err := simtest.SignIn(filepath.Join(h.dir, ".config", "Windsurf"), auth); err != nil {
		h.tb.Fatal(err)
	}
	return h.source("windsurf")
}

// asked is a request as it came in.
type asked struct {
	Method, Host, Path string
	Header             map[string]string
	Body               string
}

// maker is a local server in the place of every host. It notes what it is asked.
type maker struct {
	*httptest.Server

	mu  sync.Mutex // guards the field below
	got []asked
}

// newMaker starts a maker that answers as answer does; body is what it was asked.
func newMaker(tb testing.TB, answer func(w http.ResponseWriter, r *http.Request, body string)) *maker {
	tb.Helper()
	m := &maker{}
	m.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		one := asked{Method: r.Method, Host: r.Host, Path: r.URL.String(), Header: map[string]string{}, Body: string(body)}
		for name := range r.Header {
			one.Header[name] = r.Header.Get(name)
		}
		m.mu.Lock()
		m.got = append(m.got, one)
		m.mu.Unlock()
		answer(w, r, string(body))
	}))
	tb.Cleanup(m.Close)
	return m
}

func (m *maker) requests() []asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.got
}

// client takes the maker for every host.
func (m *maker) client() Client {
	transport := m.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = (&dialer{to: m.Listener.Addr().String()}).DialContext
	transport.TLSClientConfig.ServerName = "example.com" // that of the test's certificate
	return Client{Version: "1.2.3", Transport: transport, Now: func() time.Time { return noon }}
}

// dialer leads every connection to one address.
type dialer struct {
	net.Dialer

	to string
}

func (d *dialer) DialContext(ctx context.Context, network, _ string) (net.Conn, error) {
	return d.Dialer.DialContext(ctx, network, d.to)
}

// sorted is JSON with its members in order.
func sorted(tb testing.TB, text []byte) string {
	tb.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		tb.Fatal(err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(again)
}
