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

func TestListeners(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp4", "tcp6"} {
		own, err := net.Listen(network, "localhost:0")
		if err != nil && network == "tcp6" {
			continue // a machine without IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		found, err := Listeners()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found, func(s Socket) bool { return s.Local == addrOf(own.Addr()) })
		if i < 0 || found[i].Inode == 0 || found[i].UID != os.Getuid() {
			t.Errorf("%v is not among %v", own.Addr(), found)
		}
	}
}

func TestConnected(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	server := addrOf(l.Addr())
	tests := []struct {
		name    string
		family  int
		address unix.Sockaddr
	}{
		{"ipv4", unix.AF_INET, &unix.SockaddrInet4{Addr: server.Addr().As4(), Port: int(server.Port())}},
		{"ipv6_of_ipv4", unix.AF_INET6, &unix.SockaddrInet6{Addr: server.Addr().As16(), Port: int(server.Port())}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fd, err := unix.Socket(tt.family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if errors.Is(err, unix.EAFNOSUPPORT) {
				t.Skip("no IPv6 here")
			}
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			if err := unix.Connect(fd, tt.address); err != nil {
				t.Fatal(err)
			}
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			client := addrOf(c.RemoteAddr())
			if s, err := Connected(client, server); err != nil || s.Local != client || s.UID != os.Getuid() || s.Inode == 0 {
				t.Errorf("%+v, %v", s, err)
			}
			nobody := netip.AddrPortFrom(client.Addr(), 1)
			if s, err := Connected(nobody, server); !errors.Is(err, ErrNone) && !errors.Is(err, unix.ENOENT) {
				t.Errorf("a connection that is not there: %+v, %v", s, err)
			}
		})
	}
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
