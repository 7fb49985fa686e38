package app

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"windsock/tray"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/spend"
)

const (
	// backgroundEvery is the time between two readings of a plan, by whomever.
	backgroundEvery = 24 * time.Hour
	// backgroundRetry is the minimum time between two attempts: a turn may have been
	// running.
	backgroundRetry = 10 * time.Minute
)

// run reads once a day in the background, until ctx or the poller ends, if on says so.
// Like housekeeping it has no clock: it looks when figures arrive. It returns nil.
func (s *spending) run(ctx context.Context, poller tray.Poller, on func() bool, logger *slog.Logger) error {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	var tried time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case plans, open := <-states:
			if !open {
				return nil
			}
			due := func(state poll.State) bool {
				runs := state.Err == nil && state.HasFigures() && state.Snapshot.Source.Kind == usage.KindLanguageServer
				return runs && s.due(ctx, state.Snapshot.Plan)
			}
			if !on() || s.parts.clock().Sub(tried) < backgroundRetry || !slices.ContainsFunc(plans.Of(string(usage.Windsurf)), due) {
				continue
			}
		}
		tried = s.parts.clock()
		if err := s.readBehind(ctx); err != nil && ctx.Err() == nil {
			logger.DebugContext(ctx, "what cascades cost was not read", slog.Any("err", err))
		}
	}
}

// due reports whether a plan was not read for a day.
func (s *spending) due(ctx context.Context, plan usage.Plan) bool {
	read, err := s.book.LastRead(ctx, plan)
	return err == nil && s.parts.serverNow().Sub(read) >= backgroundEvery
}

// readBehind reads the plans that are due, while no turn runs, unless a person reads. It
// ends when a person wants to.
func (s *spending) readBehind(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !s.beginBehind(cancel) {
		return nil
	}
	defer s.endBehind()
	c, err := s.parts.config()
	if err != nil {
		return err
	}
	editors, err := s.editors(ctx, c.Usage.Variant)
	if err != nil {
		return err
	}
	done := map[usage.Plan]bool{}
	for _, e := range editors {
		if done[e.plan] || !s.due(ctx, e.plan) {
			continue
		}
		done[e.plan] = true
		if _, err := s.read(ctx, e.plan, editors, spend.Reading{Rest: restBackground, Patient: true}); err != nil {
			return err
		}
	}
	return nil
}

// beginBehind reports whether nobody reads. From then on a person ends the reading.
func (s *spending) beginBehind(giveWay context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.reading <- struct{}{}:
		s.giveWay = giveWay
		return true
	default:
		return false
	}
}

func (s *spending) endBehind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveWay = nil
	<-s.reading
}
