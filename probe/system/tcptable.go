package system

import (
	"encoding/binary"
	"net/netip"
)

// tcpLayout holds the offsets of a row's fields, in bytes, in a table of sockets on
// Windows (MIB_TCPROW_OWNER_PID and MIB_TCP6ROW_OWNER_PID of tcpmib.h).
type tcpLayout struct {
	size                   int
	state, addr, port, pid int
	addrLen                int
}

var (
	tcpLayout4 = tcpLayout{size: 24, state: 0, addr: 4, port: 8, pid: 20, addrLen: 4}
	tcpLayout6 = tcpLayout{size: 56, state: 48, addr: 0, port: 20, pid: 52, addrLen: 16}
)

// stateListener is MIB_TCP_STATE_LISTEN.
const stateListener = 2

// parseTCPTable reads the listening sockets from the result of GetExtendedTcpTable: the
// number of rows in 32 bits, then the rows. Numbers are little-endian on every Windows,
// but addresses and ports are in network byte order. Of a truncated table it returns
// the complete rows.
func parseTCPTable(data []byte, layout tcpLayout) []listener {
	if len(data) < 4 {
		return nil
	}
	count := uint64(binary.LittleEndian.Uint32(data))
	rest := data[4:]
	var found []listener
	for ; count > 0 && len(rest) >= layout.size; count-- {
		field := rest[:layout.size]
		rest = rest[layout.size:]
		port := binary.BigEndian.Uint16(field[layout.port:])
		addr, _ := netip.AddrFromSlice(field[layout.addr : layout.addr+layout.addrLen])
		if binary.LittleEndian.Uint32(field[layout.state:]) != stateListener || port == 0 {
			continue
		}
		found = append(found, listener{
			addr:   netip.AddrPortFrom(addr.Unmap(), port),
			holder: uint64(binary.LittleEndian.Uint32(field[layout.pid:])),
		})
	}
	return found
}
