package sockdiag

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Sizes of struct inet_diag_req_v2 and inet_diag_msg in linux/inet_diag.h, and the
// offsets of the fields in use. Both have a struct inet_diag_sockid, with ports and
// addresses in network byte order.
const (
	requestSize  = 56
	statesAt     = 4
	requestIDAt  = 8
	answerSize   = 72
	answerIDAt   = 4
	answerUIDAt  = 64
	answerNodeAt = 68

	// Within an inet_diag_sockid.
	sourcePortAt = 0
	targetPortAt = 2
	sourceAt     = 4
	targetAt     = 20
	cookieAt     = 40
)

// States of include/net/tcp_states.h.
const (
	stateEstablished = 1
	stateCloseWait   = 8
	stateListen      = 10
	anyState         = ^uint32(0)
)

// message is a netlink message with an inet_diag_req_v2.
type message []byte

// request asks for the TCP sockets of a family in any of the states, one bit each.
func request(family byte, flags uint16, states uint32) message {
	m := make(message, unix.NLMSG_HDRLEN+requestSize)
	native := binary.NativeEndian
	native.PutUint32(m[0:], uint32(len(m))) //nolint:gosec // 72
	native.PutUint16(m[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(m[6:], unix.NLM_F_REQUEST|flags)
	body := m[unix.NLMSG_HDRLEN:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	native.PutUint32(body[statesAt:], states)
	return m
}

// names limits the request to the socket with these addresses.
func (m message) names(source, target netip.AddrPort) {
	id := m[unix.NLMSG_HDRLEN+requestIDAt:]
	binary.BigEndian.PutUint16(id[sourcePortAt:], source.Port())
	binary.BigEndian.PutUint16(id[targetPortAt:], target.Port())
	copy(id[sourceAt:], source.Addr().AsSlice())
	copy(id[targetAt:], target.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[cookieAt:], ^uint64(0)) // INET_DIAG_NOCOOKIE
}

// dumps reports whether the answer to a message ends with a message of its own.
func (m message) dumps() bool {
	return binary.NativeEndian.Uint16(m[6:])&unix.NLM_F_DUMP == unix.NLM_F_DUMP
}

// parseSocket reads an inet_diag_msg.
func parseSocket(data []byte) (Socket, bool) {
	if len(data) < answerSize {
		return Socket{}, false
	}
	id := data[answerIDAt:]
	size := 0
	switch data[0] {
	case unix.AF_INET:
		size = 4
	case unix.AF_INET6:
		size = 16
	default:
		return Socket{}, false
	}
	end := func(addrAt, portAt int) netip.AddrPort {
		addr, _ := netip.AddrFromSlice(id[addrAt : addrAt+size])
		return netip.AddrPortFrom(addr.Unmap(), binary.BigEndian.Uint16(id[portAt:]))
	}
	return Socket{
		Local: end(sourceAt, sourcePortAt), Remote: end(targetAt, targetPortAt),
		Inode: uint64(binary.NativeEndian.Uint32(data[answerNodeAt:])),
		UID:   int(binary.NativeEndian.Uint32(data[answerUIDAt:])),
		State: data[1],
	}, true
}
