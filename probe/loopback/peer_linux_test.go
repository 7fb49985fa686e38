package loopback

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"

	"windsock/probe/probetest"
)

// dial connects to a listener of its own, and returns both ends.
func dial(t *testing.T, on address) (client, server *net.TCPConn) {
	t.Helper()
	l, err := net.Listen(on.network, net.JoinHostPort(on.host, "0"))
	if err != nil {
		t.Skip(err) // the computer has no IPv6
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

func TestLookPeer(t *testing.T) {
	t.Parallel()
	for _, on := range []address{ipv4, ipv6} {
		t.Run(on.network, func(t *testing.T) {
			t.Parallel()
			c, _ := dial(t, on)
			client, server := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
			if got, err := lookPeer(client, server); got != peerSame || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
			other := netip.AddrPortFrom(client.Addr(), 1)
			if got, err := lookPeer(other, server); got != peerForeign || err == nil {
				t.Errorf("a connection that is not there: %v, %v", got, err)
			}
		})
	}
}

// A client that closes before the look counts as foreign: the kernel reports root as
// the owner of such a socket.
func TestClosedPeer(t *testing.T) {
	t.Parallel()
	for _, on := range []address{ipv4, ipv6} {
		t.Run(on.network, func(t *testing.T) {
			t.Parallel()
			c, _ := dial(t, on)
			client, server := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
			if _, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if got, _ := lookPeer(client, server); got != peerForeign {
				t.Errorf("got %v", got)
			}
		})
	}
}

// The client's own state counts. A client may still send after the server has finished.
// A client that has finished sending counts as gone: the server would end its request,
// too.
func TestHeldStates(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"server_ends_first": true, "client_ends_first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := dial(t, ipv4)
			ends, hears := s, c
			if !want {
				ends, hears = c, s
			}
			if err := ends.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if n, err := hears.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			got, err := lookPeer(addrPort(c.LocalAddr()), addrPort(c.RemoteAddr()))
			if err != nil || (got == peerSame) != want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// Another account's curl is refused, whatever it sends.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, nil)
	for uid, want := range map[int]string{os.Getuid(): "fine", probetest.Nobody: "foreign_user"} {
		if got := strings.TrimSpace(probetest.Curl(t, uid, "http://"+address)); got != want {
			t.Errorf("as %d: %q, want %q", uid, got, want)
		}
	}
}
