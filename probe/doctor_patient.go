package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
)

// patient is a candidate that is examined.
type patient struct {
	candidate

	steps []Step
	// failure is that of the step at which discovery ends; nil where the server
	// answers.
	failure *Failure
	// useless is why the answer has nothing to show.
	useless error
	// vain are the ports that were asked, where none answered, and handshaken is
	// the index of that step.
	vain       []netip.AddrPort
	handshaken int
	// mute says that it listens nowhere.
	mute bool
	// keep is told each secret that is read.
	keep func(...secret.Secret)
}

// examine takes all steps, and behind one that fails those that can be taken
// without it.
func (p *patient) examine(ctx context.Context, figures func([]byte) (string, error)) {
	p.keep(p.process.Token)
	p.step(stepProcess, func() (string, *Failure) { return p.wordsOfProcess(), nil })
	p.step(stepToken, func() (string, *Failure) {
		return fmt.Sprintf("in its %s, %s", placeOfToken(p.process), form(p.process.Token)), p.token()
	})
	var addrs []netip.AddrPort
	p.step(stepPorts, func() (finding string, failure *Failure) {
		if addrs, failure = p.ports(ctx); failure == nil {
			finding = p.wordsOfPorts(ctx, addrs)
		}
		p.mute = failure != nil && errors.Is(failure, errNoListener)
		return finding, failure
	})
	var found endpoint
	if p.failure == nil {
		p.handshaken = len(p.steps)
		p.step(stepHandshake, func() (_ string, failure *Failure) {
			if found, failure = p.handshake(ctx, addrs); failure != nil && failure.code == NoPort {
				p.vain = addrs
			}
			return wordsOfEndpoint(found, addrs), failure
		})
	}
	var keys []secret.Secret
	var places []signin.SignIn
	p.step(stepKey, func() (_ string, failure *Failure) {
		places = p.signIns(ctx)
		p.keepPlaces(places)
		keys, failure = p.keys(places)
		return "", failure
	})
	p.steps[len(p.steps)-1].Finding = wordsOfKeys(p.finder.where, places) // as well where there is none
	switch {
	case p.failure == nil:
		p.call(ctx, found, keys, places, figures)
	case found.client != nil:
		found.client.CloseIdleConnections()
	}
}

// call asks for GetUserStatus as discovery does, with one key after the other.
func (p *patient) call(ctx context.Context, to endpoint, keys []secret.Secret, places []signin.SignIn, figures func([]byte) (string, error)) {
	s := p.session(to, keys)
	defer s.Close()
	var raw []byte
	p.step(stepCall, func() (finding string, failure *Failure) {
		if raw, failure = s.answer(ctx); failure == nil {
			_, used := s.current()
			finding = "GetUserStatus answered with " + size(len(raw))
			if len(keys) > 1 {
				finding += ", to the key " + placeOf(keys[used], places)
			}
		}
		return finding, failure
	})
	if p.failure != nil || figures == nil {
		return
	}
	start := time.Now()
	finding, err := figures(raw)
	step := Step{Name: stepFigures, OK: err == nil, Finding: finding, Duration: time.Since(start), app: p.app}
	if err != nil {
		p.useless = err
		step.Finding, step.Cure = clauseAndCure(sentenceOf(err))
	}
	p.steps = append(p.steps, step)
}

// step takes one and writes down how it went.
func (p *patient) step(name string, take func() (finding string, failure *Failure)) {
	start := time.Now()
	finding, failure := take()
	step := Step{Name: name, OK: true, Finding: finding, Duration: time.Since(start)}
	if failure != nil {
		step = failed(name, failure, step.Duration)
		if p.failure == nil {
			p.failure = failure
		}
	}
	step.app = p.app
	p.steps = append(p.steps, step)
}

// kin names the parent or the child that is the server where p is none, as with
// --run_child (PROTOCOL.md 4.2).
func (p *patient) kin(others []*patient) (_ string, ok bool) {
	if !p.mute {
		return "", false
	}
	for _, o := range others {
		switch {
		case o.mute:
		case o.process.Parent == p.process.PID:
			return fmt.Sprintf("its child %d", o.process.PID), true
		case p.process.Parent == o.process.PID:
			return fmt.Sprintf("its parent %d", o.process.PID), true
		}
	}
	return "", false
}

func (p *patient) keepPlaces(places []signin.SignIn) {
	for _, place := range places {
		p.keep(place.Key)
	}
}

// wordsOfProcess says which process it is. Its path has a user's name in it, and
// its other flags may hold anything.
func (p *patient) wordsOfProcess() string {
	words := fmt.Sprintf("%d %s", p.process.PID, programName(p.process.Path))
	if version := plainVersion.FindString(p.process.Version); version != "" {
		words += " " + version
	}
	if p.process.Age > 0 {
		words += ", started " + ago(p.process.Age)
	}
	return words
}

func placeOfToken(p system.Process) string {
	if strings.HasPrefix(p.TokenFrom, "--") {
		return "flag " + p.TokenFrom
	}
	return p.TokenFrom
}

// wordsOfPorts tells the ports, and whether what listens there is the process,
// which is asked again before a byte is sent.
func (p *patient) wordsOfPorts(ctx context.Context, addrs []netip.AddrPort) string {
	var others []netip.AddrPort
	for _, addr := range addrs {
		if p.finder.system.Verify(ctx, p.process, addr) != nil {
			others = append(others, addr)
		}
	}
	switch {
	case len(others) > 0:
		return ports(addrs) + "; not its own: " + ports(others)
	case len(addrs) == 1:
		return ports(addrs) + ", its own"
	default:
		return ports(addrs) + ", all its own"
	}
}
