package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"

	"windsock/probe/system"
)

// askInVain asks every port that did not answer the handshake once more, for
// what each of them says: discovery tells the first one's reason only.
func (e *examination) askInVain(ctx context.Context) {
	var asking sync.WaitGroup // ends here: a port is given two seconds at most
	defer asking.Wait()
	for _, p := range e.patients {
		if p.vain != nil {
			asking.Go(func() { p.steps[p.handshaken].Finding = strings.Join(p.askEach(ctx, p.vain), "; ") })
		}
	}
}

// askEach is what each port says to the handshake, in their order.
func (p *patient) askEach(ctx context.Context, addrs []netip.AddrPort) []string {
	said := make([]string, len(addrs))
	var asking sync.WaitGroup // ends here
	for i, addr := range addrs {
		asking.Go(func() {
			said[i] = fmt.Sprintf("port %d %s", addr.Port(), wordsOfRefusal(p.ask(ctx, addr)))
		})
	}
	asking.Wait()
	return said
}

// ask is the handshake with one port. Of what it says over http and over https,
// that which is an answer counts, and over https, where there are two: what speaks
// https has an answer for http as well.
func (p *patient) ask(ctx context.Context, addr netip.AddrPort) error {
	client := newClient(p.finder.system, p.process, addr)
	defer client.CloseIdleConnections()
	plain := askUnleash(ctx, client, "http://"+addr.String(), p.process.Token)
	if plain == nil {
		return nil
	}
	secure := askUnleash(ctx, client, "https://"+addr.String(), p.process.Token)
	if _, answered := errors.AsType[*notConnectError](secure); answered || secure == nil {
		return secure
	}
	return plain
}

// wordsOfRefusal says why a port is not the one that is looked for.
func wordsOfRefusal(err error) string {
	if err == nil {
		return "has begun to answer"
	}
	err = wordless(err)
	owner, notOwned := errors.AsType[*ownerError](err)
	other, notConnect := errors.AsType[*notConnectError](err)
	switch {
	case notOwned && errors.Is(owner, system.ErrNotOwner):
		return "belongs to another process"
	case notOwned:
		return "could not be told to be its own"
	case notConnect:
		return fmt.Sprintf("answers with status %d, not as a language server does", other.status)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "hangs up"
	default:
		return "gives the error: " + err.Error()
	}
}

// wordsOfEndpoint says which port answered, and how.
func wordsOfEndpoint(found endpoint, addrs []netip.AddrPort) string {
	scheme, address, _ := strings.Cut(found.base, "://")
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return ""
	}
	words := fmt.Sprintf("port %d answers over %s", addr.Port(), scheme)
	if len(addrs) > 1 {
		words += fmt.Sprintf(" (%d were asked)", len(addrs))
	}
	return words
}
