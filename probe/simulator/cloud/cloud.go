// Package cloud simulates the makers' own services, for tests and demonstrations of
// figures without an editor: Windsurf's seat service and Cursor's dashboard, at all their
// hosts, behind one proxy on 127.0.0.1.
//
// A program that is to meet them takes the proxy of its environment (HTTPS_PROXY) and the
// root certificate of [Server.Root], as it would take a company's; nothing else has to
// change in it, and no byte leaves the computer. A program's own demo uses
// [Server.Transport].
//
// It is written from PROTOCOL.md 9 and 10 and not from Windsock's client, so that it does
// not repeat a misunderstanding of the client. Every figure, name and token is made up;
// package account has the accounts.
package cloud

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"windsock/probe/simulator/account"
)

// Config configures a [Server]. The zero value knows nobody.
type Config struct {
	Accounts []Account
	// Delay is added to each answer.
	Delay time.Duration
	// Now is the clock of all dates in answers; nil is time.Now.
	Now func() time.Time
	// Refused is called before an unknown token is answered, so that a test can renew
	// the sign-in at that moment; it may be nil.
	Refused func()
	// Answer answers in place of the services where it returns true; it may be nil.
	Answer func(http.ResponseWriter, *http.Request) bool
	// Told is called with the token, the method and the text of each answer of a service
	// before it is sent; it may be nil.
	Told func(token, method string, answer []byte)
}

// An Account is a token and what it opens: one of Windsurf's accounts or one of Cursor's.
type Account struct {
	Token string
	// Host is the only host that knows the token. Empty, it is Cursor's for an account of
	// Cursor's, and either host of the United States for one of Windsurf's, which share
	// their accounts.
	Host string
	// Windsurf is the name of one of [account.Scenarios], Cursor that of one of
	// [account.CursorScenarios]. One of them is set.
	Windsurf, Cursor string
	// Owner has Windsurf's account.
	Owner account.Person
}

// A Server is all hosts of both makers. It answers from New until Close.
type Server struct {
	cfg      Config
	start    time.Time
	roots    authorities
	listener net.Listener
	proxy    *http.Server
	hosts    *http.Server
	tunnels  *tunnels
	ended    sync.WaitGroup

	mu       sync.Mutex // guards the rest
	accounts map[string]Account
	fault    Fault
	only     string
	requests []Request
	asked    []string
}

// New makes a server that answers. The caller must call Close.
func New(cfg Config) (*Server, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Server{cfg: cfg, start: cfg.Now(), accounts: map[string]Account{}}
	for _, a := range cfg.Accounts {
		if err := s.Open(a); err != nil {
			return nil, err
		}
	}
	var err error
	if s.roots, err = newAuthorities(); err != nil {
		return nil, err
	}
	if s.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s.tunnels = newTunnels(s.listener.Addr())
	// Tests break connections on purpose: net/http need not log that.
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.proxy = &http.Server{Handler: http.HandlerFunc(s.connect), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	s.hosts = &http.Server{
		Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute, ErrorLog: quiet,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.certificate}, Protocols: new(http.Protocols),
	}
	s.hosts.Protocols.SetHTTP1(true)
	s.ended.Go(func() { _ = s.proxy.Serve(s.listener) })
	s.ended.Go(func() { _ = s.hosts.ServeTLS(s.tunnels, "", "") })
	return s, nil
}

// Close ends the server and all its connections.
func (s *Server) Close() error {
	err := errors.Join(s.proxy.Close(), s.hosts.Close())
	s.ended.Wait()
	return err
}

// ProxyURL is the value of HTTPS_PROXY that leads to the server.
func (s *Server) ProxyURL() string { return "http://" + s.listener.Addr().String() }

// Root is the certificate, as PEM, that a client has to trust.
func (s *Server) Root() []byte { return s.roots.trusted.pem }

// Transport reaches the server, and nothing else, from inside the process.
func (s *Server) Transport() *http.Transport {
	return &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: s.listener.Addr().String()}),
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.roots.pool()},
	}
}

// Open makes the server know an account from now on, in place of an earlier one with its
// token. It fails for an unknown scenario.
func (s *Server) Open(a Account) error {
	if a.Cursor != "" {
		if _, err := account.CursorNamed(a.Cursor); err != nil {
			return err
		}
	} else if _, err := account.Named(a.Windsurf); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts[a.Token] = a
	return nil
}

// Revoke makes the server forget a token.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.accounts, token)
}

// Fail sets the fault from now on; method is the last part of the path of the only
// requests that it affects, or empty for all.
func (s *Server) Fail(fault Fault, method string) error {
	if _, ok := faults[fault]; !ok {
		return fmt.Errorf("unknown fault %q, want one of %q", fault, Faults())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.only = fault, method
	return nil
}

// Requests are the requests so far, in order, with those that were refused.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Asked are what the proxy was asked to lead to so far, in order: HOST:PORT, or the whole
// URL of a request that should not have come to it.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// current is the fault for a request, FaultNone if it is not affected.
func (s *Server) current(method string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.only != "" && s.only != method {
		return FaultNone
	}
	return s.fault
}

func (s *Server) account(token string) (Account, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.accounts[token]
	return a, ok
}

func (s *Server) clock() account.Clock {
	return account.Clock{Start: s.start, Now: s.cfg.Now()}
}
