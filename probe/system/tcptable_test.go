package system

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	data, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Tables in the layout of Windows, as filled in by GetExtendedTcpTable of Wine 8. The
// PIDs, which Wine does not know, are made up.
const (
	recordedTCP4 = `04000000
		020000007f00000197ad00000000000000000000e41a0000
		020000007f00000183fd0000000000000000000004000000
		020000000000000007e80000000000000000000000000000
		050000007f0000018dc700007f000001a3940000e41a0000`
	recordedTCP6 = `02000000
		000000000000000000000000000000010010000093df0000 00000000000000000000000000000000 0000000000000000 02000000e41a0000
		00000000000000000000000000000000000000001f900000 00000000000000000000000000000000 0000000000000000 02000000e41a0000`
)

func TestParseTCPTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		data   string
		layout tcpLayout
		want   []string // address and PID
	}{
		{"ipv4", recordedTCP4, tcpLayout4, []string{"127.0.0.1:38829 6884", "127.0.0.1:33789 4", "0.0.0.0:2024 0"}},
		{"ipv6", recordedTCP6, tcpLayout6, []string{"[::1]:37855 6884", "[::]:8080 6884"}},
		{"mapped", `01000000 00000000000000000000ffff7f000001 00000000 1f90beef
			00000000000000000000000000000000 0000000000000000 02000000e41a0000`, tcpLayout6, []string{"127.0.0.1:8080 6884"}},
		{"garbage_behind_the_port", `01000000 020000007f0000011f90beef0000000000000000e41a0000`, tcpLayout4, []string{"127.0.0.1:8080 6884"}},
		{"cut_off", recordedTCP4[:100], tcpLayout4, []string{"127.0.0.1:38829 6884"}},
		{"more_rows_than_said", "01000000" + recordedTCP4[8:], tcpLayout4, []string{"127.0.0.1:38829 6884"}},
		{"no_rows", "00000000", tcpLayout4, nil},
		{"short", "0000", tcpLayout4, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := strings.Join(strings.Fields(tt.data), "")
			var got []string
			for _, l := range parseTCPTable(unhex(t, data[:len(data)&^1]), tt.layout) {
				got = append(got, fmt.Sprint(l.addr, " ", l.holder))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Other listeners on the server's port, from the table of Windows.
func TestCheckOwnerByPID(t *testing.T) {
	t.Parallel()
	at := func(addr string, pid uint64) listener { return listener{netip.MustParseAddrPort(addr), pid} }
	tests := []struct {
		name string
		all  []listener
		want error
	}{
		{"own", []listener{at("127.0.0.1:80", 7)}, nil},
		{"own_everywhere", []listener{at("0.0.0.0:80", 7)}, nil},
		{"own_twice", []listener{at("127.0.0.1:80", 7), at("[::]:80", 7)}, nil},
		{"others_on_other_ports", []listener{at("127.0.0.1:81", 8), at("127.0.0.1:80", 7)}, nil},
		{"stranger", []listener{at("127.0.0.1:80", 8)}, ErrNotOwner},
		{"stranger_before_us", []listener{at("0.0.0.0:80", 7), at("127.0.0.1:80", 8)}, ErrNotOwner},
		{"nobody", []listener{at("127.0.0.1:81", 7)}, ErrNotOwner},
		{"other_address", []listener{at("192.168.1.2:80", 7)}, ErrNotOwner},
		{"unknown_holder", []listener{at("127.0.0.1:80", 0)}, ErrNotOwner},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := checkOwner(tt.all, netip.MustParseAddrPort("127.0.0.1:80"), heldBy(7)); !errors.Is(got, tt.want) {
				t.Errorf("checkOwner = %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzTCPTable: for any table there is no panic, there are no more sockets than rows,
// and all have a port.
func FuzzTCPTable(f *testing.F) {
	f.Add(unhex(f, recordedTCP4), false)
	f.Add(unhex(f, recordedTCP6), true)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, false)
	f.Fuzz(func(t *testing.T, data []byte, six bool) {
		layout := map[bool]tcpLayout{false: tcpLayout4, true: tcpLayout6}[six]
		found := parseTCPTable(data, layout)
		if len(found) > 0 && uint64(len(found)) > uint64(binary.LittleEndian.Uint32(data)) || len(found)*layout.size > len(data) {
			t.Errorf("%d sockets in %d bytes", len(found), len(data))
		}
		for _, l := range found {
			if addr, ok := l.dialable(); l.addr.Port() == 0 || !l.addr.IsValid() || ok && !addr.Addr().IsLoopback() {
				t.Errorf("socket %v, dialable at %v", l.addr, addr)
			}
		}
	})
}
