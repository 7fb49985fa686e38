package system

import (
	"net/netip"
	"slices"
)

// listener is one listening TCP socket.
type listener struct {
	addr netip.AddrPort
	// holder tells whose it is: on Linux the socket's inode, elsewhere the PID.
	holder uint64
}

// dialable returns the loopback address under which the socket is reached; ok
// is false where it listens on no loopback address.
func (l listener) dialable() (addr netip.AddrPort, ok bool) {
	host := l.addr.Addr()
	switch {
	case l.addr.Port() == 0:
		return netip.AddrPort{}, false
	case host.IsLoopback():
		return l.addr, true
	case host.IsUnspecified():
		// "::" takes IPv4 too unless told otherwise, and then no dial succeeds.
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), l.addr.Port()), true
	default:
		return netip.AddrPort{}, false
	}
}

// accepts reports whether the socket can be the one that takes a connection to
// addr: it listens there, or on every address.
func (l listener) accepts(addr netip.AddrPort) bool {
	return l.addr.Port() == addr.Port() && (l.addr.Addr() == addr.Addr() || l.addr.Addr().IsUnspecified())
}

// reachable returns where the listeners that are owned can be dialled, in the
// order of their addresses.
func reachable(all []listener, owned func(listener) bool) []netip.AddrPort {
	var found []netip.AddrPort
	for _, l := range all {
		addr, ok := l.dialable()
		if ok && owned(l) && !slices.Contains(found, addr) {
			found = append(found, addr)
		}
	}
	slices.SortFunc(found, netip.AddrPort.Compare)
	return found
}

// checkOwner returns nil if a connection to addr can only have been taken by a
// listener that is owned.
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

// heldBy is the owned of a process where the holder is a PID.
func heldBy(pid int) func(listener) bool {
	return func(l listener) bool { return l.holder == uint64(pid) } //nolint:gosec // a PID is positive
}
