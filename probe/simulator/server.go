package simulator

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"windsock/probe/simulator/account"
)

// Version is the editor's version that the simulator claims.
const Version = "3.4.27"

// A Server is a language server inside this process. It listens from New on, answers
// during Serve, and ends with Close.
type Server struct {
	callLog

	cfg      Config
	rpc      net.Listener
	plain    net.Listener // the second RPC port, of Antigravity alone, or nil
	lsp      net.Listener
	http     *http.Server
	calls    *calls
	onTold   func(Told) // called with each answer with figures before it is sent; may be nil
	cascades *cascades
	up       time.Time // for FaultSlowStart, in real time
	start    time.Time // when the scenario's figures hold

	once   sync.Once     // of Close
	closed chan struct{} // closed by Close

	mu    sync.Mutex // guards the rest
	tells situation
	fault Fault
	at    time.Time // where the clock was stopped; zero is nowhere
}

// New makes a server that listens on two ports of 127.0.0.1. The caller must call
// Close, or call Serve and end its context. It fails if the Config holds unknown names,
// or if the system gives no port.
func New(cfg Config) (*Server, error) {
	return newServer(cfg, nil, nil)
}

func newServer(cfg Config, onCall func(Call), onTold func(Told)) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Token == "" {
		cfg.Token = uuid.NewString()
	}
	s := &Server{
		cfg:    cfg,
		calls:  &calls{onCall: onCall},
		onTold: onTold,
		up:     time.Now(),
		start:  cfg.Now(),
		closed: make(chan struct{}),
		fault:  cfg.Fault,
	}
	s.callLog = callLog{s.calls.list}
	if cfg.Lapse.Runs() {
		s.start = cfg.Lapse.Start.Round(0)
	}
	if !cfg.Start.IsZero() {
		s.start = cfg.Start
	}
	var err error
	if s.tells, err = cfg.situation(cfg.Scenario); err != nil {
		return nil, err
	}
	if cfg.Antigravity == "" {
		plan := planOf(s.tells.windsurf.Answer(account.Clock{Start: s.start, Now: s.start}, cfg.Account))
		if s.cascades, err = newCascades(cfg, s.now, plan, s.start); err != nil {
			return nil, err
		}
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers until ctx ends or Close is called, and then returns nil.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()

	var others sync.WaitGroup
	others.Go(s.serveLSP)
	if s.plain != nil {
		others.Go(func() { _ = s.http.Serve(s.plain) }) // it ends with Close
	}
	var err error
	if s.cfg.TLS {
		err = s.http.ServeTLS(s.rpc, "", "")
	} else {
		err = s.http.Serve(s.rpc)
	}
	select {
	case <-s.closed:
		err = nil
	default:
		err = errors.Join(err, s.Close())
	}
	others.Wait()
	return err
}

// Close ends the server and all its connections. It may be called repeatedly.
func (s *Server) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		err = errors.Join(ignoreClosed(s.http.Close()), ignoreClosed(s.rpc.Close()), ignoreClosed(s.lsp.Close()))
		if s.plain != nil {
			err = errors.Join(err, ignoreClosed(s.plain.Close()))
		}
	})
	return err
}

// Port is the port that answers RPCs.
func (s *Server) Port() int { return port(s.rpc) }

// HTTPPort is the port that answers Antigravity's RPCs without TLS; 0 for Windsurf.
func (s *Server) HTTPPort() int {
	if s.plain == nil {
		return 0
	}
	return port(s.plain)
}

// LSPPort is the port that accepts connections and never answers.
func (s *Server) LSPPort() int { return port(s.lsp) }

// URL is the base of all RPCs, without a slash at its end.
func (s *Server) URL() string { return baseURL(s.cfg.TLS, s.Port()) }

// Token is the CSRF token that requests must carry.
func (s *Server) Token() string { return s.cfg.Token }

// Set changes the server's responses from now on. For an unknown name it returns an
// error and changes nothing.
func (s *Server) Set(scenario string, fault Fault) error {
	next, err := s.cfg.situation(scenario)
	if err != nil {
		return err
	}
	if err := s.cfg.validateFault(fault); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tells, s.fault = next, fault
	return nil
}
