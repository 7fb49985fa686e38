package tray

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"windsock/tray/desktop"
	"windsock/tray/traytest"
	"windsock/usage/alert"
	"windsock/usage/poll"
)

// told is a desktop that waits for an answer until it has to give up. It reports that
// if a receiver is waiting.
type told struct {
	giveUp chan struct{}
	gaveUp chan error
}

func (d told) Notify(n desktop.Notification) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with Notify
		select {
		case <-d.giveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	notifier := new(desktop.Notifier)
	defer notifier.Close()
	err := notifier.Show(ctx, n)
	if err != nil {
		select {
		case d.gaveUp <- err:
		default:
		}
	}
	return err
}

func (told) Withdraw(any) {}

// warn runs a Warner until the end of the test.
func warn(t *testing.T, notifier Notifier, pause time.Duration) *fakePoller {
	t.Helper()
	poller := &fakePoller{states: make(chan poll.Plans)}
	warner := NewWarner(WarnerSettings{Alerts: alert.DefaultConfig()})
	warner.pause = pause
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- warner.Run(ctx, poller, &alert.Watch{}, notifier, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return poller
}

// TestWarnerFindsALateDaemon: a warning from before the daemon's start is shown by the
// daemon, even without new figures.
func TestWarnerFindsALateDaemon(t *testing.T) {
	bus := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address())
	teller := told{nil, make(chan error, 1)}
	poller := warn(t, teller, 10*time.Millisecond)
	poller.states <- poll.Plans{polled(t, lowAnswer, 0)}
	if err := <-teller.gaveUp; err == nil {
		t.Fatal("shown, and there is nobody to show it")
	}
	bus.Notifier(t)
	shown := bus.WaitNotifications(t, 1)
	if shown[0].Summary != "Prompt credits: 16 % left" {
		t.Errorf("shown: %+v", shown)
	}
}

// TestWarnerOutlivesAHungDaemon: a warning that a hanging daemon did not show is shown
// by the next one.
func TestWarnerOutlivesAHungDaemon(t *testing.T) {
	bus := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address())
	daemon := bus.Notifier(t)
	daemon.Hang("Notify")
	teller := told{make(chan struct{}), make(chan error, 1)}
	poller := warn(t, teller, firstPause)
	at := noon
	fetch := func() {
		at = at.Add(time.Minute)
		state := polled(t, lowAnswer, 0)
		state.At, state.Snapshot.Source.FetchedAt = at, at
		poller.states <- poll.Plans{state}
	}
	fetch()
	bus.WaitAsked(t)
	teller.giveUp <- struct{}{}
	if err := <-teller.gaveUp; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	daemon.Stop(t)
	bus.Notifier(t)
	shown := func() bool {
		return slices.ContainsFunc(bus.Notifications(t), func(n traytest.Notification) bool { return n.ID != 0 })
	}
	deadline := time.After(time.Minute)
	fetches := time.NewTicker(20 * time.Millisecond)
	defer fetches.Stop()
	for !shown() {
		select {
		case <-fetches.C:
			fetch()
		case <-deadline:
			t.Fatalf("not shown: %+v", bus.Notifications(t))
		}
	}
}
