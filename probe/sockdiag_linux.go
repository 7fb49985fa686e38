package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Reading /proc/net/tcp makes the kernel walk its whole table of connections:
// 5 ms a time on a large machine, however few there are, and every dial is
// checked. Asked by netlink (sock_diag(7)) it walks the listening sockets alone.

// Sizes of struct inet_diag_req_v2 and inet_diag_msg in linux/inet_diag.h, and
// where the fields lie that are read or written.
const (
	diagRequestSize = 56
	diagMessageSize = 72
	tcpListen       = 10 // TCP_LISTEN

	diagPortAt    = 4
	diagAddressAt = 8
	diagInodeAt   = 68
)

// diagTimeout is for the kernel's answer, which comes at once.
const diagTimeout = time.Second

// diagListeners returns the listening TCP sockets of our own network namespace.
func diagListeners() (found []listener, err error) {
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(socket)) }()
	timeout := unix.NsecToTimeval(diagTimeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return nil, fmt.Errorf("set netlink timeout: %w", err)
	}
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		if err := unix.Sendto(socket, diagRequest(family), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
			return nil, fmt.Errorf("ask for listening sockets: %w", err)
		}
		some, err := receiveDiag(socket)
		if err != nil {
			return nil, fmt.Errorf("read listening sockets: %w", err)
		}
		found = append(found, some...)
	}
	return found, nil
}

func diagRequest(family uint8) []byte {
	request := make([]byte, unix.NLMSG_HDRLEN+diagRequestSize)
	native := binary.NativeEndian
	native.PutUint32(request[0:], uint32(len(request))) //nolint:gosec // 72
	native.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	body := request[unix.NLMSG_HDRLEN:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	native.PutUint32(body[4:], 1<<tcpListen)
	return request
}

func receiveDiag(socket int) ([]listener, error) {
	var found []listener
	buffer := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(socket, buffer, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		some, done, err := parseDiag(buffer[:n])
		found = append(found, some...)
		if done || err != nil {
			return found, err
		}
	}
}

// parseDiag reads one datagram of the kernel's answer; done is set with its end.
func parseDiag(data []byte) (found []listener, done bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(data)
	if err != nil {
		return nil, false, err
	}
	for _, m := range messages {
		switch m.Header.Type {
		case unix.NLMSG_DONE:
			return found, true, nil
		case unix.NLMSG_ERROR:
			if len(m.Data) < 4 {
				return nil, false, errors.New("a short error")
			}
			return nil, false, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data))) //nolint:gosec // an errno, negated
		}
		if l, ok := parseDiagMessage(m.Data); ok {
			found = append(found, l)
		}
	}
	return found, false, nil
}

func parseDiagMessage(data []byte) (listener, bool) {
	if len(data) < diagMessageSize || data[1] != tcpListen {
		return listener{}, false
	}
	var addr netip.Addr
	switch data[0] {
	case unix.AF_INET:
		addr = netip.AddrFrom4([4]byte(data[diagAddressAt:]))
	case unix.AF_INET6:
		addr = netip.AddrFrom16([16]byte(data[diagAddressAt:])).Unmap()
	default:
		return listener{}, false
	}
	inode := binary.NativeEndian.Uint32(data[diagInodeAt:])
	port := binary.BigEndian.Uint16(data[diagPortAt:])
	return listener{addr: netip.AddrPortFrom(addr, port), holder: uint64(inode)}, inode != 0
}
