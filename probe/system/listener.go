package system

import (
	"net/netip"
	"slices"

	"windsock/probe/sorted"
)

// listener is one listening TCP socket.
type listener struct {
	addr netip.AddrPort
	// holder identifies the owner: on Linux the socket's inode, elsewhere the PID.
	holder uint64
}

// dialable returns the loopback address that reaches the socket; ok is false if it
// listens on no loopback address.
func (l listener) dialable() (addr netip.AddrPort, ok bool) {
	host := l.addr.Addr()
	switch {
	case l.addr.Port() == 0:
		return netip.AddrPort{}, false
	case host.IsLoopback():
		return l.addr, true
	case host.IsUnspecified():
		// By default "::" accepts IPv4 too. Otherwise no dial succeeds.
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), l.addr.Port()), true
	default:
		return netip.AddrPort{}, false
	}
}

// accepts reports whether the socket can accept a connection to addr: it listens there,
// or on every address.
func (l listener) accepts(addr netip.AddrPort) bool {
	return l.addr.Port() == addr.Port() && (l.addr.Addr() == addr.Addr() || l.addr.Addr().IsUnspecified())
}

// reachable returns the addresses that reach the owned listeners, sorted.
func reachable(all []listener, owned func(listener) bool) []netip.AddrPort {
	var found []netip.AddrPort
	for _, l := range all {
		addr, ok := l.dialable()
		if ok && owned(l) && !slices.Contains(found, addr) {
			found = append(found, addr)
		}
	}
	sorted.By(found, netip.AddrPort.Compare)
	return found
}

// checkOwner returns nil if only owned listeners can accept a connection to addr.
func checkOwner(all []listener, addr netip.AddrPort, owned func(listener) bool) error {
	listens := false
	for _, l := range all {
		if !l.accepts(addr) {
			continue
		}
		if !owned(l) {
			return ErrNotOwner
		}
		listens = true
	}
	if !listens {
		return ErrNotOwner
	}
	return nil
}

// heldBy is an owned function for systems where the holder is a PID.
func heldBy(pid int) func(listener) bool {
	return func(l listener) bool { return l.holder == uint64(pid) } //nolint:gosec // a PID is positive
}
