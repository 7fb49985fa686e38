package loopback

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"

	"windsock/probe/sockdiag"
)

// lookPeer tells whether the socket at the other end of a connection is this
// account's. A server is in the network namespace of its clients, loopback being
// what it is.
func lookPeer(client, server netip.AddrPort) (peer, error) {
	uid, err := diagUID(client, server)
	if err != nil {
		// Some sandboxes have no sock_diag.
		known, other := procUID(client, server)
		if other != nil {
			return peerForeign, errors.Join(err, other)
		}
		uid = known
	}
	if uid == os.Getuid() {
		return peerSame, nil
	}
	return peerForeign, nil
}

var errNoSocket = errors.New("no such connection")

// diagUID asks the kernel whose the client's socket is.
func diagUID(client, server netip.AddrPort) (uid int, err error) {
	socket, err := sockdiag.Connected(client, server)
	return socket.UID, err
}

// procUID finds the same in /proc/net/tcp; a client may have connected with a
// socket for IPv6, too.
func procUID(client, server netip.AddrPort) (uid int, err error) {
	err = errNoSocket
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, unread := os.ReadFile(name)
		if unread != nil {
			err = fmt.Errorf("read connections: %w", unread)
			continue
		}
		if uid, ok := parseTable(table, client, server); ok {
			return uid, nil
		}
	}
	return 0, err
}

// parseTable reads proc_net_tcp(5): the second and third columns are the socket's
// addresses, the eighth its UID.
func parseTable(table []byte, client, server netip.AddrPort) (uid int, ok bool) {
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) < 8 || !isAddress(fields[1], client) || !isAddress(fields[2], server) {
			continue
		}
		if uid, err := strconv.Atoi(string(fields[7])); err == nil {
			return uid, true
		}
	}
	return 0, false
}

// isAddress compares an address of the table, whose words are in the machine's
// order and written in hex, with one.
func isAddress(field []byte, want netip.AddrPort) bool {
	host, port, _ := bytes.Cut(field, []byte(":"))
	n, err := strconv.ParseUint(string(port), 16, 16)
	if err != nil || uint16(n) != want.Port() || len(host) != 8 && len(host) != 32 {
		return false
	}
	var raw []byte
	for ; len(host) > 0; host = host[8:] {
		word, err := strconv.ParseUint(string(host[:8]), 16, 32)
		if err != nil {
			return false
		}
		raw = binary.NativeEndian.AppendUint32(raw, uint32(word))
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr.Unmap() == want.Addr()
}
