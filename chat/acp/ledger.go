package acp

import (
	"context"
	"log/slog"
	"time"

	"windsock/chat/touched"
)

const (
	// drainMost is how many sessions of earlier prompts are deleted after one prompt.
	drainMost = 5
	// fresh is how long a session is left alone while other agents run: one of them may
	// be using it.
	fresh = 30 * time.Minute
	// forgotten is how long a session that cannot be deleted stays noted.
	forgotten = 7 * 24 * time.Hour
)

// ledger has the sessions of one engine that are still to be deleted.
type ledger struct {
	queue  Queue
	engine string
	log    *slog.Logger
}

func newLedger(q Queue, engine string, log *slog.Logger) ledger {
	return ledger{q, touched.AgentPrefix + engine, log}
}

func (l ledger) add(ctx context.Context, id string) bool { return l.note(ctx, l.queue.Add, id) }
func (l ledger) strike(ctx context.Context, id string)   { l.note(ctx, l.queue.Remove, id) }

func (l ledger) release(ctx context.Context, id string) { l.note(ctx, l.queue.Release, id) }

// hold notes that this process keeps a session open.
func (l ledger) hold(ctx context.Context, id string, prompts int) bool {
	return l.note(ctx, func(ctx context.Context, engine, id string) error {
		return l.queue.Hold(ctx, engine, id, prompts)
	}, id)
}

func (l ledger) note(ctx context.Context, do func(ctx context.Context, engine, id string) error, id string) bool {
	err := do(context.WithoutCancel(ctx), l.engine, id)
	if err != nil {
		l.log.WarnContext(ctx, "sessions to be deleted not noted", slog.Any("err", err))
	}
	return err == nil
}

// drain deletes sessions that killed processes have left, none that a process keeps open,
// and not the prompt's own, which has just been tried.
func (l ledger) drain(ctx context.Context, a *agent, own string, now time.Time) {
	list, err := l.queue.Waiting(ctx)
	if err != nil {
		l.log.WarnContext(ctx, "sessions to be deleted not known", slog.Any("err", err))
		return
	}
	tried, alone := 0, a.alone(ctx)
	for _, w := range list {
		age := now.Sub(w.At)
		if w.Held || w.Variant != l.engine || w.ID == own || age < fresh && !alone || tried >= drainMost || ctx.Err() != nil {
			continue
		}
		tried++
		if a.deletes && a.remove(ctx, w.ID) || age > forgotten {
			l.strike(ctx, w.ID)
		}
	}
}
