package loopback

import (
	"net/netip"
	"os"

	"windsock/probe/system/sockdiag"
)

// lookPeer tells whether the socket at the other end of a connection is this
// account's. A server is in the network namespace of its clients, loopback being
// what it is. A socket that was closed meanwhile has no owner: the kernel would say
// that it is root's.
func lookPeer(client, server netip.AddrPort) (peer, error) {
	socket, err := sockdiag.Connected(client, server)
	if err == nil && socket.Held() && socket.UID == os.Getuid() {
		return peerSame, nil
	}
	return peerForeign, err
}
