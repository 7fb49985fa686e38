package acp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"windsock/chat"
)

// idleTime is how long a program is kept for the next prompt.
const idleTime = 2 * time.Minute

// EngineParts are the parts of an Engine.
type EngineParts struct {
	Profile Profile
	// Roots returns the directories of running editors' code (see [RootOf]); it may be
	// nil.
	Roots func() []string
	// RootsOnly has the program looked for nowhere else, as in a demo.
	RootsOnly bool
	// Dir is a directory of Windsock's own in which the agents' directories are made.
	// Each Windsock of a user has the same one.
	Dir string
	// Version is Windsock's own.
	Version string
	// Queue holds the sessions that are still to be deleted.
	Queue Queue
	Log   *slog.Logger
}

// Engine asks models through an agent. It is a [chat.Engine]. It starts the agent's
// program at a question, keeps it for two minutes after the answer, and uses each session
// for one prompt, unless that is to be kept. While it answers, another question starts
// another one.
type Engine struct {
	parts  EngineParts
	ledger ledger
	start  func(ctx context.Context) (*agent, error)

	mu     sync.Mutex // guards what is below
	parked *parked
	closed bool
	kept   map[string]*kept // sessions that are open for further prompts, by id
}

// parked is an agent that waits for the next prompt. A goroutine watches it until it is
// taken, has ended, or its time is over.
type parked struct {
	*agent

	take func()
	done chan struct{}
	good bool // it can be taken; set before done is closed
}

// New returns an Engine. It starts nothing before the first question.
func New(p EngineParts) *Engine {
	e := &Engine{parts: p, ledger: newLedger(p.Queue, p.Profile.id, p.Log)}
	e.start = e.startProgram
	return e
}

// ID returns "devin", "cursor" or "custom".
func (e *Engine) ID() string { return e.parts.Profile.id }

// Program returns the path of the agent's program, without starting it. The error is a
// *chat.Failure.
func (e *Engine) Program() (path string, _ error) {
	var roots []string
	if e.parts.Roots != nil {
		roots = e.parts.Roots()
	}
	p := e.parts.Profile
	if e.parts.RootsOnly {
		return p.choose(p.belowRoots(roots))
	}
	return p.choose(p.candidates(roots))
}

// Sweep removes what killed processes of Windsock have left: directories of agents, and
// programs in them that still run. It starts no agent, so a session is left to the next
// prompt.
func (e *Engine) Sweep(ctx context.Context) error { return e.room().Sweep(ctx) }

// Models requests the models of a session that the next prompt then has. It starts the
// program.
func (e *Engine) Models(ctx context.Context) (all chat.Catalogue, _ error) {
	err := e.use(ctx, func(a *agent) (bool, error) {
		a.renew()
		s, err := a.session(ctx)
		if err == nil {
			all = s.options.model.catalogue(a.images)
		}
		return false, e.parts.Profile.failure(ctx, err)
	})
	return all, err
}

// Ask sends a prompt in a new session, or in one that is open, and has that deleted
// however the turn ends, where the agent can, unless it is kept: only a session whose
// turns all succeed is. The error is a *chat.Failure or ctx's.
func (e *Engine) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (answer chat.Answer, _ error) {
	if p.Further != "" {
		return e.further(ctx, p, tell)
	}
	started := time.Now()
	err := e.use(ctx, func(a *agent) (sent bool, err error) {
		a.renew()
		t := turn{agent: a, ledger: e.ledger, tell: tell, log: e.parts.Log}
		answer, err = t.run(ctx, p)
		if answer.Left == chat.LeftOpen {
			e.keep(&t)
		}
		if err == nil {
			draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
			defer cancel()
			e.ledger.drain(draining, a, answer.Ref, time.Now())
		}
		return answer.Sent, err
	})
	if answer.Left == chat.LeftOpen {
		answer.Left = e.stillOpen(ctx, answer.Ref)
	}
	answer.Duration = time.Since(started)
	return answer, err
}

// Close ends the program that waits for a prompt. One that answers is ended after its
// answer.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	if a := e.take(); a != nil {
		e.finish(a)
	}
}

// use runs do with an agent, which is kept after a success and ended after an error.
// Where a kept one turns out to have ended, and has had no prompt, another one is
// started.
func (e *Engine) use(ctx context.Context, do func(*agent) (sent bool, _ error)) error {
	for kept := e.take(); ; kept = nil {
		a, err := kept, error(nil)
		if a == nil {
			a, err = e.start(ctx)
		}
		if err != nil {
			return e.parts.Profile.failure(ctx, err)
		}
		sent, err := do(a)
		if err == nil {
			e.park(a) //nolint:contextcheck // it waits longer than this question
			return nil
		}
		e.finish(a)
		f, failed := errors.AsType[*chat.Failure](err)
		if kept == nil || sent || !failed || f.Code != chat.ServerGone {
			return err
		}
	}
}

// take returns the waiting agent, or nil.
func (e *Engine) take() *agent {
	e.mu.Lock()
	p := e.parked
	e.parked = nil
	e.mu.Unlock()
	if p == nil {
		return nil
	}
	p.take()
	if <-p.done; !p.good {
		return nil
	}
	return p.agent
}

// park keeps an agent, unless another one waits already, or a tool has acted when nobody
// waited for an answer.
func (e *Engine) park(a *agent) {
	e.mu.Lock()
	if e.closed || e.parked != nil || a.acting {
		e.mu.Unlock()
		e.finish(a)
		return
	}
	waiting, take := context.WithCancel(context.Background())
	p := &parked{agent: a, take: take, done: make(chan struct{})}
	e.parked = p
	e.mu.Unlock()
	go func() {
		defer close(p.done)
		defer take()
		_, err := a.await(waiting, wait{method: "wait", limit: idleTime})
		if p.good = errors.Is(err, context.Canceled); !p.good {
			e.finish(a)
		}
	}()
}
