package loopback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"windsock/probe/say"
)

// maxPorts is how many ports are tried until one is free on both addresses.
const maxPorts = 32

// ListenBoth listens on the same free port of 127.0.0.1 and [::1]. Browsers resolve a
// name below localhost to either address, so another program on the second one could
// pass for this server. Without IPv6 there is no [::1] to listen on, and ListenBoth
// returns one Listener.
func ListenBoth(ctx context.Context) ([]*Listener, error) {
	return listenBoth(func(on address, port int) (*Listener, error) { return listen(ctx, on, port) })
}

func listenBoth(listen func(on address, port int) (*Listener, error)) ([]*Listener, error) {
	var last error
	for range maxPorts {
		first, err := listen(ipv4, 0)
		if err != nil {
			return nil, err
		}
		second, err := listen(ipv6, first.Port())
		switch {
		case err == nil:
			return []*Listener{first, second}, nil
		case slices.ContainsFunc(noIPv6, func(no error) bool { return errors.Is(err, no) }):
			return []*Listener{first}, nil
		}
		last = errors.Join(err, first.Close())
	}
	return nil, &say.Error{
		What:  "No port is free on both 127.0.0.1 and [::1]: another program on this computer has taken them. Close it, then try again.",
		Cause: fmt.Errorf("listen on both addresses of loopback: %d ports tried: %w", maxPorts, last),
	}
}

// noIPv6 are the errors for a missing IPv6 address. The last two are the Windows
// numbers of the first two.
var noIPv6 = []error{syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.Errno(10049), syscall.Errno(10047)}
