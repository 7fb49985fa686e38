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
	methods := http.NewServeMux()
	methods.Handle(pb.NewLanguageServerServiceHandler(service{server: s}))
	s.http = &http.Server{
		Handler:           s.handler(methods),
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
	var err error
	if s.rpc, err = config.Listen(context.Background(), "tcp4", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for rpc: %w", err)
	}
	if s.lsp, err = config.Listen(context.Background(), "tcp4", "127.0.0.1:0"); err != nil {
		return errors.Join(fmt.Errorf("listen for lsp: %w", err), s.rpc.Close())
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
			s.calls.add(in.call("lsp"), in)
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

// current is the present scenario and fault.
func (s *Server) current() (account.Scenario, Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scenario, s.fault
}

func (s *Server) clock() account.Clock {
	return account.Clock{Start: s.start, Now: s.cfg.Now(), Spending: s.cfg.Lapse.Runs(), Charges: s.cascades.charges()}
}
