package loopback

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"

	"windsock/probe/system/sockdiag"
)

// lookPeer tells whether the socket at the other end of a connection is this
// account's. A server is in the network namespace of its clients, loopback being
// what it is. A socket that was closed meanwhile is nobody's: the kernel would say
// that it is root's.
func lookPeer(client, server netip.AddrPort) (peer, error) {
	socket, err := sockdiag.Connected(client, server)
	if err != nil {
		// Some sandboxes have no sock_diag.
		known, other := procSocket(client, server)
		if other != nil {
			return peerForeign, errors.Join(err, other)
		}
		socket = known
	}
	if socket.Held() && socket.UID == os.Getuid() {
		return peerSame, nil
	}
	return peerForeign, nil
}

var errNoSocket = errors.New("no such connection")

// procSocket finds the same as sock_diag in /proc/net/tcp; a client may have
// connected to an address of IPv4 with a socket for IPv6, too.
func procSocket(client, server netip.AddrPort) (_ sockdiag.Socket, err error) {
	err = errNoSocket
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, unread := os.ReadFile(name)
		if unread != nil {
			err = fmt.Errorf("read connections: %w", unread)
			continue
		}
		if socket, ok := parseTable(table, client, server); ok {
			return socket, nil
		}
	}
	return sockdiag.Socket{}, err
}

// parseTable reads proc_net_tcp(5): the second and third columns are the socket's
// addresses, the fourth its state, the eighth its UID and the tenth its inode.
func parseTable(table []byte, client, server netip.AddrPort) (sockdiag.Socket, bool) {
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) < 10 || !isAddress(fields[1], client) || !isAddress(fields[2], server) {
			continue
		}
		state, err := strconv.ParseUint(string(fields[3]), 16, 8)
		uid, uidErr := strconv.Atoi(string(fields[7]))
		inode, inodeErr := strconv.ParseUint(string(fields[9]), 10, 64)
		if errors.Join(err, uidErr, inodeErr) == nil {
			return sockdiag.Socket{Local: client, Inode: inode, UID: uid, State: uint8(state)}, true
		}
	}
	return sockdiag.Socket{}, false
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
