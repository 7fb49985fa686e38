package probe

import (
	"errors"
	"net"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Both ways to list the listening sockets of this machine find the same.
func TestDiagListeners(t *testing.T) {
	var want []listener
	system := procfs{root: "/proc", uid: os.Geteuid()}
	for _, network := range []string{"tcp4", "tcp6"} {
		own, err := net.Listen(network, "localhost:0")
		if err != nil && network == "tcp6" {
			continue // a machine without IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		port := uint16(own.Addr().(*net.TCPAddr).Port)
		all, err := system.listening(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(l listener) bool { return l.addr.Port() == port })
		if i < 0 {
			t.Fatalf("port %d is not in /proc/net/%s", port, network)
		}
		want = append(want, all[i])
	}
	got, err := diagListeners()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("%v is in /proc, but netlink has %v", l, got)
		}
	}
}

func TestParseDiagErrors(t *testing.T) {
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
			found, done, err := parseDiag(tt.data)
			if len(found) > 0 || done != tt.done || !errors.Is(err, tt.want) {
				t.Errorf("parseDiag = %v, %v, %v", found, done, err)
			}
		})
	}
}
