package app

import (
	"context"
	"log/slog"
	"time"

	"windsock/chat/clean"
	"windsock/chat/touched"
	"windsock/tray"
	"windsock/usage"
)

// housekeeping archives the cascades of earlier prompts, and counts the stale ones for
// the menu. It has no clock: it looks when figures arrive, since an editor is running
// then, but not every time.
type housekeeping struct {
	drain func(context.Context)
	plan  func(context.Context) (clean.Plan, error)
	// agent reports whether prompts can go to an agent where Cascade is off; nil is no.
	agent func() bool
	log   *slog.Logger

	// stale delivers the latest count for the menu.
	stale chan tray.Cascades
	// looks asks for a look at once, and off reports that the server has no Cascade;
	// each has capacity one.
	looks, off chan struct{}
}

// houseEvery is the minimum time between two looks at the same server.
const houseEvery = 10 * time.Minute

func (p parts) newHousekeeping(table *touched.Table, logger *slog.Logger) *housekeeping {
	return &housekeeping{
		drain: func(ctx context.Context) { p.drain(ctx, table, logger) },
		plan: func(ctx context.Context) (clean.Plan, error) {
			target, err := p.cleanTarget(ctx, "")
			if err != nil {
				return clean.Plan{}, err
			}
			defer target.Close()
			return clean.New(target, table, p.serverNow).Plan(ctx, clean.DefaultRules())
		},
		log: logger, stale: make(chan tray.Cascades, 1), looks: make(chan struct{}, 1), off: make(chan struct{}, 1),
	}
}

// look asks for a look at once.
func (h *housekeeping) look() { tray.Latest(h.looks, struct{}{}) }

// noCascade reports that the server has no Cascade.
func (h *housekeeping) noCascade() { tray.Latest(h.off, struct{}{}) }

// run archives and counts until ctx or the poller ends. It returns nil.
func (h *housekeeping) run(ctx context.Context, poller tray.Poller) error {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	var looked time.Time
	var server int  // PID of the last server that was looked at
	var without int // PID of a server without Cascade
	var shown tray.Cascades
	show := func(c tray.Cascades) {
		c.Agent = c.Off && h.agent != nil && h.agent()
		if c != shown {
			shown = c
			tray.Latest(h.stale, c)
		}
	}
	for {
		due := false
		select {
		case <-ctx.Done():
			return nil
		case <-h.looks:
			due = true
		case <-h.off:
			without = server
			show(tray.Cascades{Off: true})
		case plans, open := <-states:
			if !open {
				return nil
			}
			state := prompted(plans)
			source := state.Snapshot.Source
			if state.Err != nil || !state.HasFigures() || source.Kind != usage.KindLanguageServer {
				continue
			}
			due = source.PID != server || time.Since(looked) >= houseEvery
			server = source.PID
		}
		if !due {
			continue
		}
		looked = time.Now()
		h.drain(ctx)
		if next, ok := h.count(ctx); ok {
			next.Off = next.Off || without == server
			show(next)
		}
	}
}

// count is the number of stale cascades; false if unknown.
func (h *housekeeping) count(ctx context.Context) (tray.Cascades, bool) {
	plan, err := h.plan(ctx)
	if err != nil {
		h.log.DebugContext(ctx, "stale cascades not counted", slog.Any("err", err))
		return tray.Cascades{}, false
	}
	bytes, unknown := plan.Bytes()
	return tray.Cascades{
		// A server that does not list its cascades counts as having none.
		Off: plan.FilesOnly, Counted: true, Stale: len(plan.Items), Bytes: bytes, BytesKnown: unknown == 0,
	}, true
}
