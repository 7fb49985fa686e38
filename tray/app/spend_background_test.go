package app

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/usage"
	"windsock/usage/poll"
)

// In the background a plan is read once a day, when figures have arrived, while no turn
// runs and only if the settings say so.
func TestSpendingInTheBackground(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	server := b.serve("windsurf", simulator.Config{Cascade: simulator.Cascade{Old: 3, PanelReady: true, Until: time.Now().Add(-time.Hour)}})
	var on atomic.Bool
	states, done := make(statesOf), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- b.run(ctx, states, on.Load, slog.New(slog.DiscardHandler)) }()
	step := func(name string, reads bool, ahead time.Duration, s poll.State) {
		t.Helper()
		b.ahead.Store(int64(ahead))
		before := len(server.Calls())
		states <- poll.Plans{s}
		states <- poll.Plans{{}} // it takes this one when it is through
		if read := len(server.Calls()) > before; read != reads {
			t.Errorf("%s: read %v", name, read)
		}
	}
	step("off", false, 0, figures(1))
	on.Store(true)
	failed := figures(1)
	failed.Err = errors.New("no answer")
	step("no_figures", false, 0, failed)
	cached := figures(1)
	cached.Snapshot.Source.Kind = usage.KindCache
	step("no_editor", false, 0, cached)
	step("another_product", false, 0, google(1))
	step("first", true, 0, figures(1))
	if _, got := b.total(b.look("")); got != booksOf(server) {
		t.Errorf("read %+v, spent %+v", got, booksOf(server))
	}
	step("read_just_now", false, time.Hour, figures(1))
	step("next_day", true, 25*time.Hour, figures(1))
	step("read_again", false, 26*time.Hour, figures(1))
	b.quit()
	step("gone", false, 60*time.Hour, figures(1))
	close(states)
	if err := <-done; err != nil {
		t.Error(err)
	}
	cancel()
}

// Another account's plan is read though a person looks at the leading one every day.
func TestSpendingOfAllPlansInTheBackground(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	idle := simulator.Cascade{Old: 3, PanelReady: true, Until: time.Now().Add(-time.Hour)}
	b.serve("windsurf", simulator.Config{Cascade: idle})
	b.serve("windsurf-next", simulator.Config{Cascade: idle, Account: "kim"})
	editors, err := b.editors(t.Context(), "")
	if err != nil || len(editors) != 2 {
		t.Fatal(editors, err)
	}
	if _, err := b.Look(t.Context(), editors[0].plan, nil); err != nil {
		t.Fatal(err)
	}
	states, done := make(statesOf), make(chan error, 1)
	go func() {
		done <- b.run(t.Context(), states, func() bool { return true }, slog.New(slog.DiscardHandler))
	}()
	var plans poll.Plans
	for i, e := range editors {
		state := figures(1 + i)
		state.Name, state.Snapshot.Plan = string(usage.Windsurf), e.plan
		plans = append(plans, state)
	}
	states <- plans
	close(states)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if read, err := b.book.LastRead(t.Context(), editors[1].plan); err != nil || read.IsZero() {
		t.Errorf("read at %v, %v", read, err)
	}
}

// A person does not wait for a reading in the background, and that one waits for nobody.
func TestSpendingGivesWay(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	b.serve("windsurf", simulator.Config{Cascade: old(5)})
	begun, ended := make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	if !b.beginBehind(cancel) {
		t.Fatal("nobody reads")
	}
	go func() {
		close(begun)
		<-ctx.Done()
		b.endBehind()
		ended <- ctx.Err()
	}()
	<-begun
	b.look("")
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	end, err := b.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b.beginBehind(func() {}) {
		t.Error("two read at once")
	}
	limited, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.begin(limited); !errors.Is(err, context.Canceled) {
		t.Errorf("a person who has left: %v", err)
	}
	end()
	if !b.beginBehind(func() {}) {
		t.Error("it was not ended")
	}
}
