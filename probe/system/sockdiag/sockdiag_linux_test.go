package sockdiag

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func addrOf(a net.Addr) netip.AddrPort {
	of := a.(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(of.Addr().Unmap(), of.Port())
}

// ways are both ways to find a connection.
var ways = map[string]func(local, remote netip.AddrPort) (Socket, error){"netlink": find, "tables": findInTables}

func TestListeners(t *testing.T) {
	t.Parallel()
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		own, err := net.Listen(network, address)
		if err != nil && network == "tcp6" {
			continue // the machine has no IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		for name, list := range map[string]func() ([]Socket, error){"both": Listeners, "netlink": dump, "tables": readTables} {
			found, err := list()
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(found, func(s Socket) bool { return s.Local == addrOf(own.Addr()) && s.State == stateListen })
			if i < 0 || found[i].Inode == 0 || found[i].UID != os.Getuid() {
				t.Errorf("%s: %v is not among %v", name, own.Addr(), found)
			}
		}
	}
}

// TestManyListeners has more of them than fit one datagram.
func TestManyListeners(t *testing.T) {
	t.Parallel()
	var own []netip.AddrPort
	for range 400 {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		own = append(own, addrOf(l.Addr()))
	}
	found, err := dump()
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range own {
		if !slices.ContainsFunc(found, func(s Socket) bool { return s.Local == addr }) {
			t.Errorf("%v is missing among %d", addr, len(found))
		}
	}
}

func TestConnected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, listen string
		family       int
	}{
		{"ipv4", "127.0.0.1:0", unix.AF_INET},
		{"ipv6", "[::1]:0", unix.AF_INET6},
		{"ipv6_of_ipv4", "127.0.0.1:0", unix.AF_INET6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", tt.listen)
			if err != nil {
				t.Skip(err) // the machine has no IPv6
			}
			defer l.Close()
			server := addrOf(l.Addr())
			fd, err := unix.Socket(tt.family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			var to unix.Sockaddr = &unix.SockaddrInet6{Addr: server.Addr().As16(), Port: int(server.Port())}
			if tt.family == unix.AF_INET {
				to = &unix.SockaddrInet4{Addr: server.Addr().As4(), Port: int(server.Port())}
			}
			if err := unix.Connect(fd, to); err != nil {
				t.Fatal(err)
			}
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			client := addrOf(c.RemoteAddr())
			other := netip.AddrPortFrom(client.Addr(), 1)
			for name, look := range ways {
				if s, err := look(client, server); err != nil || s.Local != client || s.Remote != server || s.UID != os.Getuid() || !s.Held() {
					t.Errorf("%s: %+v, %v", name, s, err)
				}
				if s, err := look(other, server); err == nil {
					t.Errorf("%s: a connection that is not there: %+v", name, s)
				}
			}
		})
	}
}

// The kernel reports root as the owner of a closed socket.
func TestClosed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for name, look := range ways {
		if s, err := look(addrOf(c.LocalAddr()), addrOf(c.RemoteAddr())); err != nil || s.Held() {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:A474 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:D2F0 0100007F:A474 01 00000000:00000000 00:00000000 00000000 65534        0 2 1 0 20 4 30 10 -1
   2: 0000000000000000FFFF00000100007F:D2F1 0000000000000000FFFF00000100007F:A474 08 00000000:00000000 00:00000000 00000000  1001        0 3
   3: 00000000000000000000000001000000:1F95 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 7
   4: 0100007F:D2F3 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0
   5: 0100007F:D2F4 0100007F:A474 xx 00000000:00000000 00:00000000 00000000     0        0 4
   6: 0100007F:D2F5 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0 0
   7: NOTHEX:D2F5 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0 1
   8: 0100007F:10000 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0 1
   9: 0100:D2F5 0100007F:A474 01 00000000:00000000 00:00000000 00000000     0        0 1
   7: bad
`

func TestParseTable(t *testing.T) {
	t.Parallel()
	at := netip.MustParseAddrPort
	server := at("127.0.0.1:42100")
	want := []Socket{
		{Local: server, Remote: at("0.0.0.0:0"), Inode: 1, UID: 1000, State: stateListen},
		{Local: at("127.0.0.1:54000"), Remote: server, Inode: 2, UID: 65534, State: stateEstablished},
		{Local: at("127.0.0.1:54001"), Remote: server, Inode: 3, UID: 1001, State: stateCloseWait},
		{Local: at("[::1]:8085"), Remote: at("[::]:0"), Inode: 7, UID: 1000, State: stateListen},
		{Local: at("127.0.0.1:54005"), Remote: server, State: stateEstablished},
	}
	if got := parseTable([]byte(table)); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// FuzzTable: for any table there is no panic.
func FuzzTable(f *testing.F) {
	f.Add([]byte(table))
	f.Fuzz(func(_ *testing.T, data []byte) { parseTable(data) })
}

func TestParse(t *testing.T) {
	t.Parallel()
	message := func(kind byte, body ...byte) []byte {
		return append([]byte{byte(unix.NLMSG_HDRLEN + len(body)), 0, 0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, body...)
	}
	tests := []struct {
		name string
		data []byte
		done bool
		want error
	}{
		{"done", message(unix.NLMSG_DONE, 0, 0, 0, 0), true, nil},
		{"refused", message(unix.NLMSG_ERROR, 0xff, 0xff, 0xff, 0xff), false, unix.EPERM},
		{"too_short", message(unix.SOCK_DIAG_BY_FAMILY, 2, 10, 0, 0), false, nil},
		{"empty", nil, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, done, err := parse(tt.data)
			if len(found) > 0 || done != tt.done || !errors.Is(err, tt.want) {
				t.Errorf("parse = %v, %v, %v", found, done, err)
			}
		})
	}
}
