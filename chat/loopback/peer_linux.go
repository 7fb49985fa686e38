package loopback

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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

// Sizes of struct inet_diag_req_v2 and inet_diag_msg in linux/inet_diag.h, and
// where the fields lie that are read or written.
const (
	diagRequestSize = 56
	diagMessageSize = 72

	requestIDAt = 8
	messageIDAt = 4
	sourceAt    = 4 // within the id, as those below
	targetAt    = 20
	cookieAt    = 40
	uidAt       = 64
)

// diagTimeout is for the kernel's answer, which comes at once.
const diagTimeout = time.Second

var errNoSocket = errors.New("no such connection")

// diagUID asks the kernel for the one socket that connects client to server
// (sock_diag(7)) and returns whose it is.
func diagUID(client, server netip.AddrPort) (uid int, err error) {
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return 0, fmt.Errorf("open netlink socket: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(socket)) }()
	timeout := unix.NsecToTimeval(diagTimeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return 0, fmt.Errorf("set netlink timeout: %w", err)
	}
	if err := unix.Sendto(socket, diagRequest(client, server), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, fmt.Errorf("ask for connection: %w", err)
	}
	buffer := make([]byte, 8<<10)
	for {
		n, _, err := unix.Recvfrom(socket, buffer, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("read connection: %w", err)
		}
		return parseDiag(buffer[:n], client)
	}
}

func diagRequest(client, server netip.AddrPort) []byte {
	request := make([]byte, unix.NLMSG_HDRLEN+diagRequestSize)
	native := binary.NativeEndian
	native.PutUint32(request[0:], uint32(len(request))) //nolint:gosec // 72
	native.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(request[6:], unix.NLM_F_REQUEST)
	body := request[unix.NLMSG_HDRLEN:]
	body[0], body[1] = unix.AF_INET, unix.IPPROTO_TCP
	native.PutUint32(body[4:], ^uint32(0)) // in any state
	id := body[requestIDAt:]
	binary.BigEndian.PutUint16(id[0:], client.Port())
	binary.BigEndian.PutUint16(id[2:], server.Port())
	copy(id[sourceAt:], client.Addr().AsSlice())
	copy(id[targetAt:], server.Addr().AsSlice())
	native.PutUint64(id[cookieAt:], ^uint64(0)) // INET_DIAG_NOCOOKIE
	return request
}

// parseDiag reads the kernel's answer, which has to be about the client's socket.
func parseDiag(data []byte, client netip.AddrPort) (uid int, _ error) {
	messages, err := syscall.ParseNetlinkMessage(data)
	if err != nil {
		return 0, fmt.Errorf("parse netlink answer: %w", err)
	}
	for _, m := range messages {
		if m.Header.Type != unix.SOCK_DIAG_BY_FAMILY || len(m.Data) < diagMessageSize {
			continue
		}
		id := m.Data[messageIDAt:]
		if binary.BigEndian.Uint16(id) == client.Port() && bytes.HasPrefix(id[sourceAt:], client.Addr().AsSlice()) {
			return int(binary.NativeEndian.Uint32(m.Data[uidAt:])), nil
		}
	}
	return 0, errNoSocket
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
