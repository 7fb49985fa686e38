package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/clean"
	"windsock/tray"
	"windsock/usage"
	"windsock/usage/poll"
)

// statesOf are a poller's.
type statesOf chan poll.Plans

func (s statesOf) Subscribe() (<-chan poll.Plans, func()) { return s, func() {} }

func (statesOf) Refresh() time.Duration { return 0 }

// figures are those of a server.
func figures(pid int) poll.State {
	return poll.State{Snapshot: usage.Snapshot{
		Plan:   usage.Plan{Product: usage.Windsurf},
		Source: usage.Source{Kind: usage.KindLanguageServer, PID: pid}, Meters: []usage.Meter{{ID: usage.PromptCredits}},
	}}
}

// google is a state of Antigravity's server, whose plan leads.
func google(pid int) poll.State {
	s := figures(pid)
	s.Snapshot.Plan.Product, s.Lead = usage.Antigravity, true
	return s
}

// It looks when a running editor has delivered figures, and no more often than
// necessary. The menu's count of cascades ends with a server that has none.
func TestHousekeeping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		drained, planned := 0, 0
		var plan clean.Plan
		var fails error
		agent := false
		h := &housekeeping{
			drain: func(context.Context) { drained++ },
			plan: func(context.Context) (clean.Plan, error) {
				planned++
				return plan, fails
			},
			agent: func() bool { return agent },
			log:   slog.New(slog.DiscardHandler), stale: make(chan tray.Cascades, 1), looks: make(chan struct{}, 1), off: make(chan struct{}, 1),
		}
		ctx, cancel := context.WithCancel(t.Context())
		states, done := make(statesOf), make(chan error, 1)
		go func() { done <- h.run(ctx, states) }()
		two := []clean.Item{{Bytes: 3, BytesKnown: true}, {Bytes: 4, BytesKnown: true}}
		send := func(plans ...poll.State) func() { return func() { states <- plans } }
		steps := []struct {
			name  string
			do    func()
			looks int
			told  *tray.Cascades
		}{
			{"no_editor", send(poll.State{Err: errors.New("none")}), 0, nil},
			{"cache", send(poll.State{Snapshot: usage.Snapshot{Source: usage.Source{Kind: usage.KindCache}, Meters: []usage.Meter{{}}}}), 0, nil},
			{"first", send(figures(1)), 1, &tray.Cascades{Counted: true, BytesKnown: true}},
			{"again", send(figures(1)), 1, nil},
			{"later", func() { time.Sleep(houseEvery); states <- poll.Plans{figures(1)} }, 2, nil},
			{"asked_for", func() { plan.Items = two; h.look() }, 3, &tray.Cascades{Counted: true, Stale: 2, Bytes: 7, BytesKnown: true}},
			{"size_unknown", func() { plan.Items = []clean.Item{{}}; h.look() }, 4, &tray.Cascades{Counted: true, Stale: 1}},
			{"failed", func() { fails = errors.New("no"); h.look() }, 5, nil},
			{"no_cascade", func() { fails = nil; h.noCascade() }, 5, &tray.Cascades{Off: true}},
			{"still_none", h.look, 6, &tray.Cascades{Off: true, Counted: true, Stale: 1}},
			{"other_server", send(figures(2)), 7, &tray.Cascades{Counted: true, Stale: 1}},
			{"antigravity_leads", send(figures(2), google(9)), 7, nil},
			{"antigravity_alone", send(google(10)), 7, nil},
			{"windsurf_is_gone", send(poll.State{Snapshot: figures(2).Snapshot, Err: errors.New("none")}, google(11)), 7, nil},
			{"files_only", func() { plan.FilesOnly = true; h.look() }, 8, &tray.Cascades{Off: true, Counted: true, Stale: 1}},
			{"agent_instead", func() { agent = true; h.look() }, 9, &tray.Cascades{Off: true, Agent: true, Counted: true, Stale: 1}},
		}
		for _, step := range steps {
			step.do()
			synctest.Wait()
			var told *tray.Cascades
			select {
			case c := <-h.stale:
				told = &c
			default:
			}
			if diff := cmp.Diff(step.told, told); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
			if drained != step.looks || planned != step.looks {
				t.Errorf("%s: drained %d times, planned %d, want %d", step.name, drained, planned, step.looks)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
