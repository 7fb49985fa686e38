package loopback

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/system/sockdiag"
)

// ways are both ways of looking.
var ways = map[string]func(client, server netip.AddrPort) (sockdiag.Socket, error){"sock_diag": sockdiag.Connected, "proc": procSocket}

// dial connects to a listener of its own, and returns both ends.
func dial(t *testing.T, on address) (client, server *net.TCPConn) {
	t.Helper()
	l, err := net.Listen(on.network, net.JoinHostPort(on.host, "0"))
	if err != nil {
		t.Skip(err) // a computer without IPv6
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

// Both ways of looking find the same.
func TestLookPeer(t *testing.T) {
	t.Parallel()
	for _, on := range []address{ipv4, ipv6} {
		t.Run(on.network, func(t *testing.T) {
			t.Parallel()
			c, _ := dial(t, on)
			client, server := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
			for name, look := range ways {
				if s, err := look(client, server); err != nil || s.UID != os.Getuid() || !s.Held() {
					t.Errorf("%s: %+v, %v", name, s, err)
				}
				nobody := netip.AddrPortFrom(client.Addr(), 1)
				if s, err := look(nobody, server); err == nil {
					t.Errorf("%s: a connection that is not there: %+v", name, s)
				}
			}
			if got, err := lookPeer(client, server); got != peerSame || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// Who closes before it is looked whose the socket was is a stranger: the kernel says
// that such a socket is root's.
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
			for name, look := range ways {
				if s, err := look(client, server); err != nil || s.Held() {
					t.Errorf("%s: %+v, %v", name, s, err)
				}
			}
			if got, _ := lookPeer(client, server); got != peerForeign {
				t.Errorf("got %v", got)
			}
		})
	}
}

// What counts is the client's own state. One that has heard all that the server had
// to say may still write. One that will not is as good as gone: the server would end
// its request, too.
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
			for name, look := range ways {
				socket, err := look(addrPort(c.LocalAddr()), addrPort(c.RemoteAddr()))
				if err != nil || socket.Held() != want {
					t.Errorf("%s: %+v, %v", name, socket, err)
				}
			}
		})
	}
}

func TestParseTable(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:A474 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:D2F0 0100007F:A474 01 00000000:00000000 00:00000000 00000000 65534        0 2 1 0 20 4 30 10 -1
   2: 0000000000000000FFFF00000100007F:D2F1 0000000000000000FFFF00000100007F:A474 08 00000000:00000000 00:00000000 00000000  1001        0 3
   3: 0100007F:D2F2 0100007F:A474 05 00000000:00000000 00:00000000 00000000     0        0 0
   4: 0100007F:D2F3 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0
   5: 0100007F:D2F4 0100007F:A474 xx 00000000:00000000 00:00000000 00000000     0        0 4
   6: 0100007F:D2F5 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0 0
   7: bad
`
	server := netip.MustParseAddrPort("127.0.0.1:42100")
	tests := []struct {
		name   string
		client string
		want   sockdiag.Socket
		held   bool
	}{
		{"socket", "127.0.0.1:54000", sockdiag.Socket{UID: 65534, Inode: 2, State: 1}, true},
		{"mapped_socket", "127.0.0.1:54001", sockdiag.Socket{UID: 1001, Inode: 3, State: 8}, true},
		{"closed", "127.0.0.1:54002", sockdiag.Socket{State: 5}, false},
		{"closed_a_moment_ago", "127.0.0.1:54005", sockdiag.Socket{State: 1}, false},
		{"cut_off", "127.0.0.1:54003", sockdiag.Socket{}, false},
		{"no_state", "127.0.0.1:54004", sockdiag.Socket{}, false},
		{"listener_is_none", "127.0.0.1:42100", sockdiag.Socket{}, false},
		{"other_address", "127.0.0.2:54000", sockdiag.Socket{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := netip.MustParseAddrPort(tt.client)
			if tt.want != (sockdiag.Socket{}) {
				tt.want.Local = client
			}
			got, ok := parseTable([]byte(table), client, server)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" || ok != (tt.want.Local == client) || got.Held() != tt.held {
				t.Errorf("%t, held %t (-want +got):\n%s", ok, got.Held(), diff)
			}
		})
	}
}

// Another account's curl is refused, whatever it says.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("no curl")
	}
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, nil)
	for uid, want := range map[uint32]string{0: "fine", 65534: "foreign_user"} {
		cmd := exec.CommandContext(t.Context(), curl, "-s", "http://"+address)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("as %d: %q, %v; want %q", uid, got, err, want)
		}
	}
}
