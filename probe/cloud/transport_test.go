package cloud

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator/cloud"
)

// simulated starts the makers' hosts behind a proxy, and returns a client with the
// transport of a person's own, which trusts the simulator's root beside it.
func simulated(tb testing.TB, config cloud.Config, host string) (*cloud.Server, Client) {
	tb.Helper()
	sim, err := cloud.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = sim.Close() })
	proxy, err := url.Parse(sim.ProxyURL())
	if err != nil {
		tb.Fatal(err)
	}
	transport := newTransport(host, proxy)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(sim.Root())
	return sim, Client{Version: "1.2.3", Transport: transport}
}

var known = cloud.Config{Accounts: []cloud.Account{{Token: token, Windsurf: "quota_fresh"}, {Token: jwt, Cursor: "individual"}}}

// The simulator's faults, with the transport of a person's own client.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := map[cloud.Fault]struct {
		code Code
		says string
	}{
		cloud.FaultOffline:     {Offline, "cannot be reached"},
		cloud.FaultProxyLogin:  {Offline, "the proxy 127.0.0.1:"},
		cloud.FaultUntrusted:   {TLS, "Somebody Else's Root"},
		cloud.FaultRedirect:    {BadResponse, "another address"},
		cloud.FaultPage:        {BadResponse, "no JSON"},
		cloud.FaultCutOff:      {BadResponse, "no JSON"},
		cloud.FaultHuge:        {BadResponse, "longer"},
		cloud.FaultBomb:        {BadResponse, "longer"},
		cloud.FaultUnavailable: {ServerError, "HTTP 503"},
	}
	for fault, want := range tests {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			sim, client := simulated(t, known, "server.codeium.com")
			if err := sim.Fail(fault, ""); err != nil {
				t.Fatal(err)
			}
			f := askToFail(t, client, Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"})
			if f.Code != want.code || !strings.Contains(f.what, want.says) {
				t.Errorf("%s: %s", f.Code, f.what)
			}
			for _, r := range sim.Requests() {
				if r.Host != "server.codeium.com" {
					t.Errorf("asked %s", r.Host)
				}
			}
		})
	}
}

// Every plan of the simulator is answered, with what is allowed and nothing else.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"individual", "free", "on_demand", "team", "team_sentinel", "requests"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, client := simulated(t, cloud.Config{Accounts: []cloud.Account{{Token: jwt, Cursor: name}}}, "api2.cursor.sh")
			if _, err := client.Ask(t.Context(), Question{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"}); err != nil {
				t.Fatal(err)
			}
			for _, r := range sim.Requests() {
				if len(r.Violations) != 0 {
					t.Errorf("%s: %v", r.Method, r.Violations)
				}
			}
		})
	}
	for _, identify := range []bool{false, true} {
		sim, client := simulated(t, known, "server.codeium.com")
		if _, err := client.Ask(t.Context(), Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com", Identify: identify}); err != nil {
			t.Fatal(err)
		}
		for _, r := range sim.Requests() {
			if len(r.Violations) != 0 {
				t.Errorf("%s: %v", r.Method, r.Violations)
			}
		}
	}
}

// A token that the program has renewed meanwhile is asked with at once; the same one is
// not asked with again.
func TestRenewed(t *testing.T) {
	t.Parallel()
	const renewed = token + "-2"
	tests := []struct {
		name   string
		renew  func(h home)
		tokens []string
		code   Code // "" for an answer
	}{
		{"renewed", func(h home) { h.devin(renewed, "") }, []string{token, renewed}, ""},
		{"same", func(home) {}, []string{token}, Rejected},
		{"signed_out", func(h home) { h.devin("", "") }, []string{token}, NoCredential},
		{"moved", func(h home) { h.devin(renewed, "https://eu.windsurf.com/_route/api_server") }, []string{token}, HostNotAllowed},
		{"unknown_too", func(h home) { h.devin(token+"-3", "") }, []string{token, token + "-3"}, Rejected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			source := h.devin(token, "")
			sim, client := simulated(t, cloud.Config{
				Accounts: []cloud.Account{{Token: renewed, Windsurf: "quota_fresh"}},
				Refused:  sync.OnceFunc(func() { tt.renew(h) }),
			}, "server.codeium.com")
			answer, err := client.Ask(t.Context(), Question{Source: source, Host: "server.codeium.com"})
			failure, _ := errors.AsType[*Failure](err)
			switch {
			case failure == nil && tt.code == "":
				if answer.Sign != source.Sign() {
					t.Error("the mark is not that of the renewed sign-in")
				}
			case failure == nil || failure.Code != tt.code:
				t.Errorf("got %v", err)
			}
			var tokens []string
			for _, r := range sim.Requests() {
				tokens = append(tokens, r.Token)
			}
			if diff := cmp.Diff(tt.tokens, tokens); diff != "" {
				t.Errorf("asked with (-want +got):\n%s", diff)
			}
		})
	}
}

// No redirect is followed: neither header nor body gets to where it leads.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"https://trap.example/x", "/elsewhere"} {
			m := newMaker(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			for _, q := range []Question{
				{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"},
				{Source: newHome(t).devin(oldToken, ""), Host: "server.codeium.com"},
				{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"},
			} {
				if f := askToFail(t, m.client(), q); f.Code != BadResponse {
					t.Errorf("%d to %s: %s", status, to, f.Code)
				}
			}
			if got := m.requests(); len(got) != 3 {
				t.Errorf("%d to %s: asked %v", status, to, got)
			}
		}
	}
}

// Nothing but the host of the question is reached, directly or through a proxy.
func TestOnlyOneHostIsReached(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }))
	defer stranger.Close()
	proxy, err := url.Parse(stranger.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, through := range []*url.URL{nil, proxy} {
		transport := newTransport("server.codeium.com", through)
		for _, address := range []string{"https://eu.windsurf.com/", "http://server.codeium.com/", "https://server.codeium.com:8443/", "https://server.codeium.com.example/", stranger.URL} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := transport.RoundTrip(request); !errors.Is(err, errElsewhere) { //nolint:bodyclose // there is none
				t.Errorf("%s: %v", address, err)
			}
		}
		for _, address := range []string{"eu.windsurf.com:443", "server.codeium.com:80", "127.0.0.1:443", "127.0.0.1:1"} {
			if _, err := transport.DialContext(t.Context(), "tcp", address); !errors.Is(err, errElsewhere) {
				t.Errorf("dial %s: %v", address, err)
			}
		}
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for proxy, want := range map[string]string{
		"http://proxy.example": "proxy.example:80", "http://user:planted@proxy.example:3128": "proxy.example:3128", "https://proxy.example": "proxy.example:443",
		"socks5://[::1]": "[::1]:1080", "socks5h://proxy.example:9": "proxy.example:9",
	} {
		at, err := url.Parse(proxy)
		if err != nil {
			t.Fatal(err)
		}
		if got := addressOf(at); got != want {
			t.Errorf("%s: %s", proxy, got)
		}
	}
}

// What is no TLS as it should be gets no byte of the token.
func TestOldOrNoTLS(t *testing.T) {
	t.Parallel()
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }))
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	none := httptest.NewServer(old.Config.Handler)
	roots := old.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	for _, server := range []*httptest.Server{old, none} {
		defer server.Close()
		transport := newTransport("server.codeium.com", nil)
		transport.DialContext = (&dialer{to: server.Listener.Addr().String()}).DialContext
		transport.TLSClientConfig.RootCAs, transport.TLSClientConfig.ServerName = roots, "example.com"
		if f := askToFail(t, Client{Transport: transport}, Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"}); f.Code != TLS {
			t.Errorf("%s: %v", f.Code, f)
		}
	}
}

// The sentences about a certificate name who has issued it.
func TestCertificates(t *testing.T) {
	t.Parallel()
	m := newMaker(t, func(http.ResponseWriter, *http.Request, string) { t.Error("a request arrived") })
	tests := map[string]struct {
		change func(*tls.Config)
		says   string
	}{
		"unknown":    {func(c *tls.Config) { c.RootCAs = x509.NewCertPool() }, "issued by “Acme Co”"},
		"other_host": {func(c *tls.Config) { c.ServerName = "" }, "another host"},
		"long_ago":   {func(c *tls.Config) { c.Time = func() time.Time { return time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) } }, "clock"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := m.client()
			tt.change(client.Transport.(*http.Transport).TLSClientConfig)
			f := askToFail(t, client, Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"})
			if f.Code != TLS || !strings.Contains(f.what, tt.says) || !strings.Contains(f.what, "Acme Co") {
				t.Errorf("%s: %s", f.Code, f.what)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Acme": "“Acme”", "": "nobody by name", "\x1b[31m\u202e": "“[31m”", strings.Repeat("é", 61): "“" + strings.Repeat("é", 60) + "…”",
	} {
		if got := label(name); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// roundTrip is a transport in memory.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// reader is a body.
type reader func(p []byte) (int, error)

func (f reader) Read(p []byte) (int, error) { return f(p) }

// A service that never comes to an end is waited for 15 seconds in all.
func TestPatience(t *testing.T) {
	t.Parallel()
	drip := func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(reader(func(p []byte) (int, error) {
			select {
			case <-r.Context().Done():
				return 0, r.Context().Err()
			case <-time.After(time.Second):
				return copy(p, " "), nil
			}
		}))}, nil
	}
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	slowSteps := func(r *http.Request) (*http.Response, error) { // each in time
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(8 * time.Second):
			return &http.Response{StatusCode: 501, Body: http.NoBody}, nil
		}
	}
	for name, answer := range map[string]roundTrip{"drip": drip, "hang": hang, "slow_steps": slowSteps} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := newHome(t).devin(token, "")
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				f := askToFail(t, Client{Transport: answer}, Question{Source: source, Host: "server.codeium.com"})
				if took := time.Since(began); f.Code != Offline || took != 15*time.Second || !strings.Contains(f.what, "15 seconds") {
					t.Errorf("%s after %v: %s", f.Code, took, f.what)
				}
			})
		})
	}
}
