package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
)

// ErrNoListener is in the chain of the failure of a process without a port. Such a
// process may be the parent of a server (PROTOCOL.md 4.2).
var ErrNoListener = errors.New("it does not listen")

// server is a process that may be a variant's language server. Its methods are the
// steps to a Session, in this order. Each stores its result in the fields below, or
// fails with a message for the user.
type server struct {
	finder  *Finder
	variant Variant
	id      Server
	process system.Process

	addrs   []netip.AddrPort // where the process listens
	answers []PortAnswer     // of each of addrs to the handshake
	base    string           // scheme, address and port that answered; may be empty
	client  *http.Client     // the client for base
	signIns []signin.SignIn  // the sign-ins it may use, the likeliest first
	keys    []secret.Secret  // of signIns
}

// open takes all the steps, up to the first that fails. With a trace it continues after
// a failure with the steps that still can be taken: ports without a token, keys without
// a port.
func (s *server) open(ctx context.Context, t *Trace) (*Session, *Failure) {
	failure := t.take(ctx, StepToken, s.findToken)
	if failure == nil || t != nil {
		failure = cmp.Or(failure, t.take(ctx, StepPorts, s.findPorts))
	}
	if failure != nil && t == nil {
		return nil, failure
	}
	// The key is read while the ports are asked: neither needs the other.
	var reading sync.WaitGroup // ends here
	var noKey *Failure
	var key Trace
	if s.variant.Product == Windsurf { // the key is Windsurf's
		reading.Go(func() { noKey = key.take(ctx, StepKey, s.findKeys) })
	}
	if failure == nil {
		failure = t.take(ctx, StepHandshake, s.shakeHands)
	}
	reading.Wait()
	t.add(key.Steps...)
	if failure = cmp.Or(failure, noKey); failure != nil {
		s.close()
		return nil, failure
	}
	return &Session{finder: s.finder, server: s}, nil
}

// close closes the idle connections of the handshake.
func (s *server) close() {
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
}

func (s *server) fail(code Code, cause error, finding string) *Failure {
	return &Failure{code: code, app: s.id.App, server: s.id, finding: finding, cause: cause}
}

// findToken fails if the process shows no token.
func (s *server) findToken(context.Context) *Failure {
	p := s.process
	if !p.Token.Empty() {
		return nil
	}
	nowhere := "neither its environment nor its command line has one"
	if s.variant.Product == Antigravity {
		nowhere = "its command line has none"
	}
	reason := cmp.Or(p.TokenErr, errors.New(nowhere))
	failure := s.fail(NoToken, p.TokenErr, fmt.Sprintf("process %d: %v", p.PID, reason))
	if antigravityKind(p) == antigravityCLI {
		failure.says = "agy runs, but since version 1.2.2 it keeps its access token to itself"
		failure.finding, failure.cure = "", "Turn on its status line with `windsock antigravity install`, or open the Antigravity app."
	}
	if unreadable, ok := errors.AsType[*system.UnreadableError](p.TokenErr); ok {
		failure.cure = fmt.Sprintf(unreadable.Cure, s.id.App)
	}
	return failure
}

// findPorts looks where the process listens.
func (s *server) findPorts(ctx context.Context) *Failure {
	pid := s.process.PID
	addrs, err := s.finder.system.Listeners(ctx, s.process)
	switch {
	case errors.Is(err, system.ErrNamespace):
		failure := s.fail(NoPort, err, fmt.Sprintf("process %d cannot be reached, %v", pid, err))
		failure.cure = "Run Windsock inside the container or sandbox in which " + s.id.App + " runs."
		return failure
	case err != nil:
		return s.fail(NoPort, err, fmt.Sprintf("the ports of process %d cannot be listed", pid))
	case len(addrs) == 0:
		return s.fail(NoPort, ErrNoListener, fmt.Sprintf("process %d listens on no port of this computer", pid))
	}
	s.addrs = addrs
	return nil
}

// shakeHands finds the port that accepts the token.
func (s *server) shakeHands(ctx context.Context) *Failure {
	err := s.handshake(ctx)
	switch {
	case errors.Is(err, errRefused):
		failure := s.fail(Rejected, err, "")
		failure.restart = s.variant.Product == Antigravity
		return failure
	case err != nil:
		return s.fail(NoPort, ownWords(err), fmt.Sprintf("process %d, tried %s", s.process.PID, PortList(s.addrs)))
	}
	return nil
}

// findKeys reads the API keys to try.
func (s *server) findKeys(ctx context.Context) *Failure {
	all, first := s.variant.signInDirs(s.process.Path)
	s.signIns = s.finder.dirs.SignIns(ctx, all, first)
	var err error
	if s.keys, err = s.finder.dirs.Keys(s.signIns); err == nil {
		return nil
	}
	failure := s.fail(NotSignedIn, err, strings.ReplaceAll(err.Error(), "\n", ", "))
	if len(s.signIns) == 0 && s.finder.dirs.NoHome != nil {
		failure.says, failure.cure = "Windsock cannot look for the sign-in of "+s.id.App, "Set it and try again."
	}
	return failure
}

// PortList lists port numbers for people.
func PortList(addrs []netip.AddrPort) string {
	words := make([]string, len(addrs))
	for i, addr := range addrs {
		words[i] = strconv.Itoa(int(addr.Port()))
	}
	if len(words) == 1 {
		return "port " + words[0]
	}
	return "ports " + strings.Join(words, ", ")
}
