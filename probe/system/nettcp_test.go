package system

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111111 1 0000000000000000 100 0 0 10 0
   1: 00000000:C000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 222222 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F91 0100007F:E1F0 01 00000000:00000000 00:00000000 00000000  1000        0 333333 1 0000000000000000 100 0 0 10 0
   3: 0A01A8C0:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 444444 1 0000000000000000 100 0 0 10 0
   4: NOTHEX:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 555555 1
   5: 0100007F:10000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 555555 1
   6: 0100007F:1F93 00000000:0000 0A
   7: 00000000000000000000000000000000:1F94 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 666666 1
   8: 00000000000000000000000001000000:1F95 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 777777 1
   9: 0000000000000000FFFF00000100007F:1F96 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 888888 1
`

func TestParseNetTCP(t *testing.T) {
	t.Parallel()
	type row struct {
		Addr, Dial string
		Inode      uint64
	}
	var got []row
	for _, l := range parseNetTCP([]byte(tcpTable)) {
		dial := ""
		if addr, ok := l.dialable(); ok {
			dial = addr.String()
		}
		got = append(got, row{l.addr.String(), dial, l.holder})
	}
	want := []row{
		{"127.0.0.1:8080", "127.0.0.1:8080", 111111},
		{"0.0.0.0:49152", "127.0.0.1:49152", 222222},
		{"192.168.1.10:8082", "", 444444},
		{"[::]:8084", "127.0.0.1:8084", 666666},
		{"[::1]:8085", "[::1]:8085", 777777},
		{"127.0.0.1:8086", "127.0.0.1:8086", 888888},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestListenerAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, listens, dialled string
		want                   bool
	}{
		{"same", "127.0.0.1:1", "127.0.0.1:1", true},
		{"other_port", "127.0.0.1:2", "127.0.0.1:1", false},
		{"any_address", "0.0.0.0:1", "127.0.0.1:1", true},
		{"any_address_of_both_families", "[::]:1", "127.0.0.1:1", true},
		{"other_loopback", "127.0.0.2:1", "127.0.0.1:1", false},
		{"other_family", "[::1]:1", "127.0.0.1:1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := listener{addr: netip.MustParseAddrPort(tt.listens), holder: 1}
			if got := l.accepts(netip.MustParseAddrPort(tt.dialled)); got != tt.want {
				t.Errorf("accepts = %v", got)
			}
		})
	}
}

func TestSocketInode(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]uint64{
		"socket:[12345]": 12345, "/dev/pts/0": 0, "anon_inode:[eventpoll]": 0, "socket:[]": 0, "socket:[1": 0, "socket:[-1]": 0,
	} {
		got, ok := socketInode(link)
		if got != want || ok != (want > 0) {
			t.Errorf("socketInode(%q) = %d, %v", link, got, ok)
		}
	}
}

// FuzzNetTCP: whatever the table holds, no panic, and nothing that can be
// dialled is off loopback.
func FuzzNetTCP(f *testing.F) {
	f.Add([]byte(tcpTable))
	f.Add([]byte("0: 7F:1 0 0A 0 0 0 0 0 1\n 0A \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, l := range parseNetTCP(data) {
			if l.holder == 0 {
				t.Errorf("a socket without an inode: %v", l.addr)
			}
			if addr, ok := l.dialable(); ok && (!addr.Addr().IsLoopback() || addr.Port() == 0 || !l.accepts(addr)) {
				t.Errorf("%v is dialled as %v", l.addr, addr)
			}
		}
	})
}
