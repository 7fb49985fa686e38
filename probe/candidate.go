package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
)

// errNoListener is a process that may be the parent of a server.
var errNoListener = errors.New("it does not listen")

// candidate is a process that may be a variant's server. Its methods are the
// steps from there to a Session, in this order; each fails with what a person is
// told.
type candidate struct {
	finder  *Finder
	variant Variant
	app     string // as a person calls it
	process system.Process
}

// candidates are the variant's among all processes, in their order.
func (f *Finder) candidates(v Variant, all []system.Process) []candidate {
	var found []candidate
	for _, p := range all {
		if v.owns(p) {
			found = append(found, candidate{finder: f, variant: v, app: v.appName(p.Path), process: p})
		}
	}
	return found
}

// open takes all the steps, up to the first that fails.
func (c candidate) open(ctx context.Context) (*Session, *Failure) {
	if failure := c.token(); failure != nil {
		return nil, failure
	}
	addrs, failure := c.ports(ctx)
	if failure != nil {
		return nil, failure
	}
	e, failure := c.handshake(ctx, addrs)
	if failure != nil {
		return nil, failure
	}
	keys, failure := c.keys(c.signIns(ctx))
	if failure != nil {
		e.client.CloseIdleConnections()
		return nil, failure
	}
	return c.session(e, keys), nil
}

func (c candidate) fail(code Code, cause error, finding string) *Failure {
	known := Server{Variant: c.variant.ID, App: c.app, PID: c.process.PID}
	return &Failure{code: code, app: c.app, server: known, finding: finding, cause: cause}
}

// mayYetAnswer reports whether a process that failed is only so young. One in
// another network namespace stays there.
func (c candidate) mayYetAnswer(failure *Failure) bool {
	return c.process.Starting && !errors.Is(failure, system.ErrNamespace)
}

// token fails where the process shows none.
func (c candidate) token() *Failure {
	p := c.process
	if !p.Token.Empty() {
		return nil
	}
	reason := cmp.Or(p.TokenErr, errors.New("neither its environment nor its command line has one"))
	failure := c.fail(NoToken, p.TokenErr, fmt.Sprintf("process %d: %v", p.PID, reason))
	if unreadable, ok := errors.AsType[*system.UnreadableError](p.TokenErr); ok {
		failure.cure = fmt.Sprintf(unreadable.Cure, c.app)
	}
	return failure
}

// ports are where the process listens, at least one.
func (c candidate) ports(ctx context.Context) ([]netip.AddrPort, *Failure) {
	pid := c.process.PID
	addrs, err := c.finder.system.Listeners(ctx, c.process)
	switch {
	case errors.Is(err, system.ErrNamespace):
		failure := c.fail(NoPort, err, fmt.Sprintf("process %d cannot be reached, %v", pid, err))
		failure.cure = "Run Windsock inside the container or sandbox in which " + c.app + " runs."
		return nil, failure
	case err != nil:
		return nil, c.fail(NoPort, err, fmt.Sprintf("the ports of process %d cannot be listed", pid))
	case len(addrs) == 0:
		return nil, c.fail(NoPort, errNoListener, fmt.Sprintf("process %d listens on no port of this computer", pid))
	}
	return addrs, nil
}

// handshake finds the port that takes the token.
func (c candidate) handshake(ctx context.Context, addrs []netip.AddrPort) (endpoint, *Failure) {
	e, err := handshake(ctx, c.finder.system, c.process, addrs)
	switch {
	case errors.Is(err, errRefused):
		return endpoint{}, c.fail(Rejected, err, "")
	case err != nil:
		return endpoint{}, c.fail(NoPort, wordless(err), fmt.Sprintf("process %d, tried %s", c.process.PID, ports(addrs)))
	}
	return e, nil
}

// signIns are those that the server may use, the likeliest first.
func (c candidate) signIns(ctx context.Context) []signin.SignIn {
	all, own := c.variant.dataDirs(c.process.Path)
	return c.finder.where.SignIns(ctx, all, own)
}

// keys are those to try, at least one.
func (c candidate) keys(found []signin.SignIn) ([]secret.Secret, *Failure) {
	keys, err := c.finder.where.Keys(found)
	if err == nil {
		return keys, nil
	}
	failure := c.fail(NotSignedIn, err, strings.ReplaceAll(err.Error(), "\n", ", "))
	if len(found) == 0 && c.finder.where.NoHome != nil {
		failure.says, failure.cure = "Windsock cannot look for the sign-in of "+c.app, "Set it and try again."
	}
	return nil, failure
}

func (c candidate) session(e endpoint, keys []secret.Secret) *Session {
	return newSession(c.finder, server{variant: c.variant, app: c.app, process: c.process, endpoint: e, keys: keys})
}

// ports lists the port numbers as a person reads them.
func ports(addrs []netip.AddrPort) string {
	words := make([]string, len(addrs))
	for i, addr := range addrs {
		words[i] = strconv.Itoa(int(addr.Port()))
	}
	if len(words) == 1 {
		return "port " + words[0]
	}
	return "ports " + strings.Join(words, ", ")
}
