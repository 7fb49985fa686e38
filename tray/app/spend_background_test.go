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
