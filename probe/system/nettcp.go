package system

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// stateListen is TCP_LISTEN as the kernel prints it.
const stateListen = "0A"

// parseNetTCP reads the listening sockets of /proc/net/tcp or tcp6. Lines that
// are not of its form, the header among them, are passed over.
func parseNetTCP(data []byte) []listener {
	var found []listener
	for line := range bytes.Lines(data) {
		// A machine with many connections has a long table: only listening rows
		// are taken apart.
		if !bytes.Contains(line, []byte(" "+stateListen+" ")) {
			continue
		}
		fields := strings.Fields(string(line))
		if len(fields) < 10 || fields[3] != stateListen {
			continue
		}
		addr, ok := parseHexAddr(fields[1])
		if !ok {
			continue
		}
		inode, err := strconv.ParseUint(fields[9], 10, 64)
		if err != nil || inode == 0 {
			continue
		}
		found = append(found, listener{addr: addr, holder: inode})
	}
	return found
}

// parseHexAddr reads "0100007F:1F90": an address in 32-bit words, each in the
// order of this machine's bytes (little-endian on every system that the editor
// is made for), and a port in plain hexadecimal.
func parseHexAddr(text string) (netip.AddrPort, bool) {
	host, portText, ok := strings.Cut(text, ":")
	if !ok {
		return netip.AddrPort{}, false
	}
	port, err := strconv.ParseUint(portText, 16, 16)
	if err != nil {
		return netip.AddrPort{}, false
	}
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(port)), true
}

// socketInode reads the target of a link in /proc/PID/fd.
func socketInode(link string) (uint64, bool) {
	text, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return 0, false
	}
	text, ok = strings.CutSuffix(text, "]")
	if !ok {
		return 0, false
	}
	inode, err := strconv.ParseUint(text, 10, 64)
	return inode, err == nil
}
