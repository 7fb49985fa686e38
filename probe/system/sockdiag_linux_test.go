package system

import (
	"net"
	"os"
	"slices"
	"testing"
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
