package loopback

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Both ways of looking find the same, for a client of either kind of socket.
func TestLookPeer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	client, server := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
	for name, look := range map[string]func(_, _ netip.AddrPort) (int, error){"sock_diag": diagUID, "proc": procUID} {
		if uid, err := look(client, server); err != nil || uid != os.Getuid() {
			t.Errorf("%s: %d, %v", name, uid, err)
		}
		nobody := netip.AddrPortFrom(client.Addr(), 1)
		if uid, err := look(nobody, server); err == nil {
			t.Errorf("%s: a connection that is not there belongs to %d", name, uid)
		}
	}
}

func TestParseTable(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:A474 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:D2F0 0100007F:A474 01 00000000:00000000 00:00000000 00000000 65534        0 2 1 0 20 4 30 10 -1
   2: 0000000000000000FFFF00000100007F:D2F1 0000000000000000FFFF00000100007F:A474 01 00000000:00000000 00:00000000 00000000  1001        0 3
   3: bad
`
	server := netip.MustParseAddrPort("127.0.0.1:42100")
	tests := []struct {
		name   string
		client string
		uid    int
		ok     bool
	}{
		{"socket", "127.0.0.1:54000", 65534, true},
		{"mapped_socket", "127.0.0.1:54001", 1001, true},
		{"listener_is_none", "127.0.0.1:42100", 0, false},
		{"other_address", "127.0.0.2:54000", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if uid, ok := parseTable([]byte(table), netip.MustParseAddrPort(tt.client), server); uid != tt.uid || ok != tt.ok {
				t.Errorf("got %d, %t", uid, ok)
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
