// Package loopback is what every server of Windsock on this computer has in
// common: it listens on loopback alone, speaks to this user alone, and bounds what
// a client can take of its time and memory.
//
// A port on loopback is open to every account of the computer, and to every page
// in its browsers. [Listener] looks whose each connection is, on Linux by the UID
// of the socket at its other end; elsewhere there is no such look, and what keeps
// other accounts out is the secret that the server above asks for. [Guard] refuses
// a request for another host, which is what DNS rebinding sends, one of another
// account, and one of a foreign page. [NewServer] and [ReadBody] bound what a
// client may send, and for how long.
//
// The package knows nothing of what is served, and of no secret.
package loopback

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
)

const (
	// maxConnections is how many connections a Listener may have at once, and
	// maxForeign how many while it is told to other accounts that they are not served.
	maxConnections = 128
	maxForeign     = 4
)

// Listener listens on an address of loopback. It may be used from several
// goroutines at once.
type Listener struct {
	net.Listener

	open, foreign atomic.Int32
	look          func(client, server netip.AddrPort) (peer, error)
}

// Listen listens on a port of 127.0.0.1; 0 is any that is free. A port that is
// taken is an error with syscall.EADDRINUSE in its chain.
func Listen(ctx context.Context, port int) (*Listener, error) {
	return listen(ctx, ipv4, port)
}

// address is one of the two of loopback.
type address struct{ network, host string }

var (
	ipv4 = address{"tcp4", "127.0.0.1"}
	ipv6 = address{"tcp6", "::1"}
)

func listen(ctx context.Context, on address, port int) (*Listener, error) {
	var config net.ListenConfig
	inner, err := config.Listen(ctx, on.network, net.JoinHostPort(on.host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	return &Listener{Listener: inner, look: lookPeer}, nil
}

// Port is where it listens.
func (l *Listener) Port() int { return int(addrPort(l.Addr()).Port()) }

// Hosts are the values of a Host header under which it is reached by these
// names, such as "127.0.0.1" and "localhost".
func (l *Listener) Hosts(names ...string) []string {
	hosts := make([]string, len(names))
	for i, name := range names {
		hosts[i] = net.JoinHostPort(name, strconv.Itoa(l.Port()))
	}
	return hosts
}

// Accept returns the next connection. One more than there may be is closed.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, open: &l.open}
		c.peer, c.err = l.look(addrPort(inner.RemoteAddr()), addrPort(inner.LocalAddr()))
		most := int32(maxConnections)
		if c.peer == peerForeign {
			c.open, most = &l.foreign, maxForeign
		}
		if c.open.Add(1) <= most {
			return c, nil
		}
		_ = c.Close()
	}
}

func addrPort(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return netip.AddrPortFrom(tcp.AddrPort().Addr().Unmap(), tcp.AddrPort().Port())
	}
	return netip.AddrPort{}
}

// conn is a connection, and whose it is.
type conn struct {
	net.Conn

	peer   peer
	err    error // why that is not known
	open   *atomic.Int32
	closed atomic.Bool
}

// Close closes the connection; more than once is as good as once.
func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// peer says whose the other end of a connection is.
type peer int

const (
	peerForeign   peer = iota // another account's, or not known
	peerSame                  // this account's
	peerUnchecked             // this system does not tell
)
