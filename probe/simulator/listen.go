package simulator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// prepare makes the HTTP server.
func (s *Server) prepare() error {
	handler := s.antigravity()
	if s.cfg.Antigravity == "" {
		methods := http.NewServeMux()
		methods.Handle(pb.NewLanguageServerServiceHandler(service{server: s}))
		handler = s.handler(methods)
	}
	s.http = &http.Server{
		Handler:           handler,
		Protocols:         new(http.Protocols),
		ConnContext:       withConn,
		ReadHeaderTimeout: time.Minute,
		// Tests break connections on purpose: net/http need not log that.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetHTTP2(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	if !s.cfg.TLS {
		return nil
	}
	certificate, err := selfSigned()
	s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return err
}

func (s *Server) listen() error {
	var config net.ListenConfig
	listeners := []*net.Listener{&s.rpc, &s.lsp}
	if s.cfg.Antigravity != "" {
		listeners = append(listeners, &s.plain)
	}
	for i, listener := range listeners {
		l, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
		if err != nil {
			err = fmt.Errorf("listen: %w", err)
			for _, open := range listeners[:i] {
				err = errors.Join(err, (*open).Close())
			}
			return err
		}
		*listener = l
	}
	return nil
}

// serveLSP serves the port of another protocol: it accepts connections and reads them,
// but never answers.
func (s *Server) serveLSP() {
	var conns sync.WaitGroup
	defer conns.Wait()
	for {
		conn, err := s.lsp.Accept()
		if err != nil {
			return
		}
		conns.Go(func() {
			done := make(chan struct{})
			defer close(done)
			conns.Go(func() { // ends with the connection, or with the server
				select {
				case <-s.closed:
				case <-done:
				}
				_ = conn.Close()
			})
			s.listenLSP(conn)
		})
	}
}

func (s *Server) listenLSP(conn io.Reader) {
	buf := make([]byte, 1<<16)
	for {
		n, err := conn.Read(buf)
		if n > 0 {
			in := readRequest("", "", buf[:n])
			s.note(in.call("lsp"), in, nil)
		}
		if err != nil {
			return
		}
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func baseURL(secure bool, port int) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func port(l net.Listener) int {
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return 0
}

// current is what the server tells of at present, and the present fault.
func (s *Server) current() (situation, Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tells, s.fault
}

// clock is the account's, with what is paid since the start.
func (s *Server) clock() account.Clock {
	c := account.Clock{Start: s.start, Now: s.now(), Spending: s.cfg.Lapse.Runs(), Resets: !s.cfg.Start.IsZero()}
	if s.cascades != nil {
		c.Charges = s.cascades.charges(s.start)
	}
	for _, charge := range s.cfg.Elsewhere {
		if charge.At.After(s.start) && !charge.At.After(c.Now) {
			c.Charges = append(c.Charges, charge)
		}
	}
	return c
}

// now is the server's time.
func (s *Server) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() {
		return s.at
	}
	return s.cfg.Now()
}

// SetTime stops the server's clock at a time.
func (s *Server) SetTime(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// Delete takes a cascade away, as a person may do in the editor.
func (s *Server) Delete(cascade string) {
	s.cascades.mu.Lock()
	defer s.cascades.mu.Unlock()
	delete(s.cascades.all, cascade)
}

// Break makes a cascade one whose steps cannot be read, or mends it.
func (s *Server) Break(cascade string, broken bool) {
	s.cascades.mu.Lock()
	defer s.cascades.mu.Unlock()
	if one := s.cascades.all[cascade]; one != nil {
		one.broken = broken
	}
}

// Spent are the steps that the server tells at present, but for those of cascades that
// run.
func (s *Server) Spent() []Spent { return s.cascades.spent() }

// Oddities are when something odd happens to the turns that were planned, just before it
// and then: one is reverted or cleared, or a step that was held up ends.
func (s *Server) Oddities() []time.Time { return s.cascades.oddities() }
