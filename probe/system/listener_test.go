package system

import (
	"net/netip"
	"testing"
)

func TestListenerDialable(t *testing.T) {
	t.Parallel()
	for listens, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "[::1]:8085": "[::1]:8085", "127.0.0.2:1": "127.0.0.2:1",
		"0.0.0.0:49152": "127.0.0.1:49152", "[::]:8084": "127.0.0.1:8084", "192.168.1.10:8082": "", "127.0.0.1:0": "",
	} {
		addr, ok := listener{addr: netip.MustParseAddrPort(listens)}.dialable()
		if ok != (want != "") || ok && addr.String() != want {
			t.Errorf("%s is dialled as %v, %t; want %q", listens, addr, ok, want)
		}
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
