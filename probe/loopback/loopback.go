// Package loopback is the common part of every server of Windsock: it listens on
// loopback only, serves this user only, and bounds the time and memory that a client
// can use.
//
// A port on loopback is open to every account of the computer, and to every page in its
// browsers. [Listener] looks up the owner of each connection: on Linux by the UID of
// the socket at the other end. Other systems have no such look-up; there the secret
// that the server above asks for keeps other accounts out. [Guard] rejects a request
// for another host (as DNS rebinding sends), from another account, or from a foreign
// page. [NewServer] and [ReadBody] bound the size and duration of requests.
//
// The package does not know what is served, and knows no secret.
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
	// maxConnections is how many connections a Listener may have at once. maxForeign is
	// how many connections of other accounts may be open while they are refused.
	maxConnections = 128
	maxForeign     = 4
)

// Listener listens on a loopback address. It is safe for concurrent use.
type Listener struct {
	net.Listener

	open, foreign atomic.Int32
	look          func(client, server netip.AddrPort) (peer, error)
}

// Listen listens on a port of 127.0.0.1; 0 is any free port. For a port in use, the
// error has syscall.EADDRINUSE in its chain.
func Listen(ctx context.Context, port int) (*Listener, error) {
	return listen(ctx, ipv4, port)
}

// address is one of the two loopback addresses.
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

// Port is the port that it listens on.
func (l *Listener) Port() int { return int(addrPort(l.Addr()).Port()) }

// Hosts are the values of the Host header for these names, such as "127.0.0.1" and
// "localhost".
func (l *Listener) Hosts(names ...string) []string {
	hosts := make([]string, len(names))
	for i, name := range names {
		hosts[i] = net.JoinHostPort(name, strconv.Itoa(l.Port()))
	}
	return hosts
}

// Accept returns the next connection. It closes those above the limit.
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

// conn is a connection and its owner.
type conn struct {
	net.Conn

	peer   peer
	err    error // why the owner is not known
	open   *atomic.Int32
	closed atomic.Bool
}

// Close closes the connection; further calls do nothing.
func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// peer is the owner of the other end of a connection.
type peer int

const (
	peerForeign   peer = iota // another account, or not known
	peerSame                  // this account
	peerUnchecked             // this system does not say
)
