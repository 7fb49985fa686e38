package acp

import (
	"context"
	"math"
	"sync"
	"time"

	"windsock/chat"
)

// kept is a session that is open for further prompts while its agent runs: two minutes
// after the last prompt the agent ends, and the conversation with it.
type kept struct {
	*session

	noted   bool       // the ledger has it
	deletes bool       // its agent can delete it
	busy    sync.Mutex // held by its turn, and by its end
	agent   *agent     // nil once that has ended; guarded by Engine.mu
}

// keep remembers the session of a turn that was left open.
func (e *Engine) keep(t *turn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kept == nil {
		e.kept = map[string]*kept{}
	}
	if e.kept[t.answer.Ref] == nil {
		e.kept[t.answer.Ref] = &kept{session: t.asked, noted: t.noted, deletes: t.deletes, agent: t.agent}
	}
}

// stillOpen is what is left of a session that was kept: two programs that have answered
// at the same time do not both wait for a further prompt.
func (e *Engine) stillOpen(ctx context.Context, ref string) chat.Leftover {
	e.mu.Lock()
	k := e.kept[ref]
	ended := k != nil && k.agent == nil
	e.mu.Unlock()
	if ended {
		return e.gone(ctx, k)
	}
	return chat.LeftOpen
}

// gone is the end of a session that was open, without its agent.
func (e *Engine) gone(ctx context.Context, k *kept) chat.Leftover {
	e.mu.Lock()
	delete(e.kept, k.id)
	e.mu.Unlock()
	switch {
	case e.parts.Profile.forgets:
		return chat.NothingLeft
	case !k.deletes:
		e.ledger.strike(ctx, k.id)
		return chat.LeftForGood
	case k.noted:
		e.ledger.release(ctx, k.id)
		return chat.LeftForNow
	default:
		return chat.LeftForGood
	}
}

// finish ends an agent, and gives up the sessions that it has open.
func (e *Engine) finish(a *agent) {
	a.end()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, k := range e.kept {
		if k.agent == a {
			k.agent = nil
		}
	}
}

// takeFor returns the waiting agent if it is that of a session. ended says that the
// session's agent is no more; else it works for another prompt.
func (e *Engine) takeFor(k *kept) (a *agent, ended bool) {
	a = e.take() // it may end meanwhile
	e.mu.Lock()
	own := k.agent
	e.mu.Unlock()
	if a != nil && a != own {
		e.park(a)
		a = nil
	}
	return a, own == nil
}

// further sends a prompt in a session that is open.
func (e *Engine) further(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	started := time.Now()
	e.mu.Lock()
	k := e.kept[p.Further]
	e.mu.Unlock()
	if k == nil {
		return chat.Answer{}, &chat.Failure{Code: chat.ConversationGone, App: e.parts.Profile.name}
	}
	busy := &chat.Failure{Code: chat.Busy, App: e.parts.Profile.name}
	if !k.busy.TryLock() {
		return chat.Answer{Ref: k.id, Left: chat.LeftOpen}, busy
	}
	defer k.busy.Unlock()
	a, ended := e.takeFor(k) //nolint:contextcheck // another one goes on waiting longer than this
	switch {
	case ended:
		return chat.Answer{Ref: k.id, Left: e.gone(ctx, k)}, &chat.Failure{Code: chat.ConversationGone, App: e.parts.Profile.name}
	case a == nil:
		return chat.Answer{Ref: k.id, Left: chat.LeftOpen}, busy
	}
	if err := a.refuseImages(p); err != nil {
		e.park(a) //nolint:contextcheck // it goes on waiting longer than this
		return chat.Answer{Ref: k.id, Left: chat.LeftOpen}, err
	}
	a.renew()
	t := turn{agent: a, ledger: e.ledger, tell: tell, log: e.parts.Log, noted: k.noted}
	answer, err := t.prompt(ctx, k.session, p)
	answer.Duration = time.Since(started)
	if answer.Left != chat.LeftOpen {
		e.mu.Lock()
		delete(e.kept, k.id)
		e.mu.Unlock()
	}
	if err != nil {
		e.finish(a)
	} else {
		e.park(a) //nolint:contextcheck // it waits longer than this question
	}
	return answer, err
}

// End deletes a session that a prompt has kept open, if the agent can and still runs.
func (e *Engine) End(ctx context.Context, ref string) chat.Leftover {
	e.mu.Lock()
	k := e.kept[ref]
	e.mu.Unlock()
	if k == nil {
		return chat.NothingLeft
	}
	k.busy.Lock()
	defer k.busy.Unlock()
	e.mu.Lock()
	still := e.kept[ref] == k
	e.mu.Unlock()
	if !still { // its turn has ended it
		return chat.NothingLeft
	}
	a, _ := e.takeFor(k) //nolint:contextcheck // another one goes on waiting longer than this
	left := e.gone(ctx, k)
	if a == nil {
		return left
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	a.renew()
	t := turn{agent: a, ledger: e.ledger, log: e.parts.Log, noted: k.noted, over: true}
	t.tidy(ctx, k.session)
	e.park(a) //nolint:contextcheck // it waits longer than this
	return t.answer.Left
}

// since is what a prompt has cost, by the running totals of its session before and after
// it. What was not told before is unknown then.
func (s *session) since(totals chat.Cost) chat.Cost {
	before, first := s.totals, s.prompts == 0
	s.prompts++
	s.totals = totals
	if first {
		return totals
	}
	cost := chat.Cost{Credits: less(totals.Credits, before.Credits), ACU: less(totals.ACU, before.ACU)}
	if a, b := totals.ListPrice, before.ListPrice; a != nil && b != nil && a.Currency == b.Currency {
		if n := less(&a.Amount, &b.Amount); n != nil {
			cost.ListPrice = &chat.Price{Amount: *n, Currency: a.Currency}
		}
	}
	return cost
}

// less is nil unless both are known and the total has not shrunk. What binary fractions
// add is rounded off.
func less(total, before *float64) *float64 {
	const digits = 1e9
	if total == nil || before == nil || *total < *before {
		return nil
	}
	n := math.Round((*total-*before)*digits) / digits
	return &n
}
