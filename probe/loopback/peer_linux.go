package loopback

import (
	"net/netip"
	"os"

	"windsock/probe/system/sockdiag"
)

// lookPeer reports whether this account owns the socket at the other end of a
// connection. On loopback, server and client are in the same network namespace. A
// socket that was closed meanwhile has no owner: the kernel would report root.
func lookPeer(client, server netip.AddrPort) (peer, error) {
	socket, err := sockdiag.Connected(client, server)
	if err == nil && socket.Held() && socket.UID == os.Getuid() {
		return peerSame, nil
	}
	return peerForeign, err
}
