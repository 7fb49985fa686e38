package probe

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
)

// The names of the steps of discovery, in their order.
const (
	StepToken     = "token"
	StepPorts     = "ports"
	StepHandshake = "handshake"
	StepKey       = "key"
	StepCall      = "call" // GetUserStatus
)

// TraceStep is how one step went.
type TraceStep struct {
	Name    string
	Failure *Failure // nil where it succeeded
	Took    time.Duration
}

// Trace is what discovery saw of one server.
type Trace struct {
	Server  Server
	Process system.Process
	Steps   []TraceStep
	// Failure is that of the step at which discovery ends; nil where the server
	// answers.
	Failure *Failure

	Ports     []netip.AddrPort // where it listens
	Strangers []netip.AddrPort // of these, those that are another's at the moment
	Base      string           // scheme, address and port that answered; empty for none
	Answers   []PortAnswer     // what each port said, where none answered as it should
	SignIns   []signin.SignIn  // those that the server may use
	Keys      int              // how many keys there are in these
	Key       secret.Secret    // the one that the server took
	Raw       []byte           // what it answered to GetUserStatus
}

// add writes a step down. A nil Trace forgets it.
func (t *Trace) add(name string, failure *Failure, start time.Time) {
	if t == nil {
		return
	}
	t.Steps = append(t.Steps, TraceStep{name, failure, time.Since(start)})
	if t.Failure == nil {
		t.Failure = failure
	}
}

// Look is what discovery saw of all servers.
type Look struct {
	// Traces are in the order of the variants, then the newest first.
	Traces []*Trace
	// Listing is what it took to list the processes, and Unlisted why they could not
	// be listed.
	Listing  time.Duration
	Unlisted *Failure
	// Failure is what UserStatus ends with; nil where a server answers.
	Failure *Failure
}

// Trace takes every step of UserStatus for every variant of the list and every process
// that may be its server, all at once, also behind one that answers. It sends a server no
// more than UserStatus does, and takes as long at most. A server
// that is starting up is waited for.
func (f *Finder) Trace(ctx context.Context, list []Variant) Look {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var look Look
	look.Failure = f.retry(ctx, func() (o outcome) {
		look, o = f.traceOnce(ctx, list)
		return o
	})
	return look
}

func (f *Finder) traceOnce(ctx context.Context, list []Variant) (look Look, o outcome) {
	start := time.Now()
	processes, failure := f.processes(ctx, list)
	look.Listing = time.Since(start)
	if failure != nil {
		look.Unlisted = failure
		return look, outcome{failure: failure}
	}
	all, missing := f.serversAmong(processes, list)
	o.failure = missing
	look.Traces = make([]*Trace, len(all))
	var tracing sync.WaitGroup // ends here
	for i, s := range all {
		tracing.Go(func() { look.Traces[i] = s.trace(ctx) })
	}
	tracing.Wait()
	for i, t := range look.Traces {
		if t.Failure == nil {
			return look, outcome{}
		}
		o.add(all[i], t.Failure)
	}
	return look, o
}

// trace takes all steps with one server.
func (s *server) trace(ctx context.Context) *Trace {
	t := &Trace{Server: s.id, Process: s.process}
	session, failure := s.open(ctx, t)
	if failure == nil {
		start := time.Now()
		t.Raw, failure = session.answer(ctx)
		t.add(StepCall, failure, start)
		_, used := session.current()
		t.Key = s.keys[used]
		session.Close()
	}
	for _, addr := range s.addrs {
		if ctx.Err() == nil && s.finder.system.Verify(ctx, s.process, addr) != nil {
			t.Strangers = append(t.Strangers, addr)
		}
	}
	t.Ports, t.Base, t.Answers, t.SignIns, t.Keys = s.addrs, s.base, s.answers, s.signIns, len(s.keys)
	return t
}
