package cloud

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// connect is the proxy: it leads every HOST:443 to the hosts' server, and notes what it
// was asked for. Nothing else is reached through it.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.RequestURI)
	s.mu.Unlock()
	fault := s.current("")
	switch {
	case r.Method != http.MethodConnect:
		http.Error(w, "this proxy knows CONNECT alone", http.StatusMethodNotAllowed)
		return
	case !strings.HasSuffix(r.RequestURI, ":443"):
		http.Error(w, "this proxy leads to port 443 alone", http.StatusForbidden)
		return
	case fault == FaultProxyLogin:
		w.Header().Set("Proxy-Authenticate", `Basic realm="company"`)
		http.Error(w, "who are you?", http.StatusProxyAuthRequired)
		return
	}
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client is gone
	}
	if fault == FaultOffline {
		_ = conn.Close()
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	s.tunnels.lead(tunnel{conn, buffer.Reader})
}

// A tunnel is a connection to one of the hosts.
type tunnel struct {
	net.Conn

	from *bufio.Reader // has what came in right behind the request for it
}

// Read implements io.Reader.
func (t tunnel) Read(p []byte) (int, error) { return t.from.Read(p) }

// tunnels is a listener that accepts them.
type tunnels struct {
	addr   net.Addr
	come   chan net.Conn // never closed: its senders do not wait behind closed
	closed chan struct{}
	once   sync.Once // closes closed
}

func newTunnels(addr net.Addr) *tunnels {
	return &tunnels{addr: addr, come: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (t *tunnels) Accept() (net.Conn, error) {
	select {
	case conn := <-t.come:
		return conn, nil
	case <-t.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (t *tunnels) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// Addr implements net.Listener.
func (t *tunnels) Addr() net.Addr { return t.addr }

func (t *tunnels) lead(conn net.Conn) {
	select {
	case t.come <- conn:
	case <-t.closed:
		_ = conn.Close()
	}
}
