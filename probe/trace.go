package probe

import (
	"cmp"
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
	StepCall      = "call" // what is left of the plan
)

// TraceStep is the result of one step.
type TraceStep struct {
	Name    string
	Failure *Failure // nil if it succeeded
	Took    time.Duration
}

// Trace is what discovery saw of one server.
type Trace struct {
	Server  Server
	Process system.Process
	Steps   []TraceStep
	// Failure is that of the step that ended discovery; nil if the server answers.
	Failure *Failure

	Ports     []netip.AddrPort // where the server listens
	Strangers []netip.AddrPort // those of Ports that belong to another process at the moment
	Base      string           // scheme, address and port that answered; may be empty
	Answers   []PortAnswer     // the answer of each port, if none answered as it should
	SignIns   []signin.SignIn  // those that the server may use
	Keys      int              // the number of keys in SignIns
	Key       secret.Secret    // the key that the server accepted
	Raw       []byte           // its response, as in Answer
	Method    string           // the RPC that Raw is the response of
}

// take takes a step and records it.
func (t *Trace) take(ctx context.Context, name string, step func(context.Context) *Failure) *Failure {
	start := time.Now()
	failure := step(ctx)
	t.add(TraceStep{name, failure, time.Since(start)})
	return failure
}

// add records steps. A nil Trace ignores them.
func (t *Trace) add(steps ...TraceStep) {
	if t == nil {
		return
	}
	for _, step := range steps {
		t.Steps = append(t.Steps, step)
		t.Failure = cmp.Or(t.Failure, step.Failure)
	}
}

// Look is what discovery saw of all servers.
type Look struct {
	// Traces are in the order of the variants, then the newest first.
	Traces []*Trace
	// Listing is how long the list of processes took. Unlisted is why it failed.
	Listing  time.Duration
	Unlisted *Failure
	// Failure is the error of UserStatus; nil if a server answers.
	Failure *Failure
}

// Trace takes every step of UserStatus for every variant of the list and every process
// that may be its server. It does so in parallel, and does not stop at a server that
// answers. It sends a server no more than UserStatus does, and takes no longer. It
// waits for a server that is starting up.
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

// trace takes all steps for one server.
func (s *server) trace(ctx context.Context) *Trace {
	t := &Trace{Server: s.id, Process: s.process}
	session, failure := s.open(ctx, t)
	if failure == nil {
		start := time.Now()
		t.Raw, t.Method, failure = session.answer(ctx)
		t.add(TraceStep{StepCall, failure, time.Since(start)})
		if _, used := session.current(); used < len(s.keys) {
			t.Key = s.keys[used]
		}
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
