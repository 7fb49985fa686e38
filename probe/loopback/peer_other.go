//go:build !linux

package loopback

import "net/netip"

// lookPeer cannot tell: of other systems none says whose a connection is without
// being asked for every process's sockets.
func lookPeer(netip.AddrPort, netip.AddrPort) (peer, error) { return peerUnchecked, nil }
