package tray

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/icon"
	"windsock/tray/traytest"
	"windsock/usage/alert"
	"windsock/usage/poll"
)

// onBus has this process use a private bus. Tests of it are not parallel.
func onBus(t *testing.T) *traytest.Bus {
	t.Helper()
	bus := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address())
	return bus
}

// TestNotify: what is markup to the desktop is shown as it stands.
func TestNotify(t *testing.T) {
	tests := []struct {
		name    string
		can     []string
		body    string
		urgency Urgency
		want    byte
		icon    icon.Icon
	}{
		{"plain", []string{"body"}, "R&D <b>team</b>", UrgencyLow, 0, icon.Icon{Band: icon.OK, Level: 4}},
		{"markup", []string{"body", "body-markup"}, "R&amp;D &lt;b&gt;team&lt;/b&gt;", UrgencyNormal, 1, icon.Icon{Band: icon.Low, Level: 1}},
		{"critical", []string{"body"}, "R&D <b>team</b>", UrgencyCritical, 2, icon.Icon{Band: icon.Exhausted}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bus := onBus(t)
			bus.Notifier(t, tt.can...)
			if err := (Desktop{Prefix: "Demo: "}).Notify(Notification{"R&D", "R&D <b>team</b>", tt.icon, tt.urgency}); err != nil {
				t.Fatal(err)
			}
			want := []traytest.Notification{{
				ID: 1, App: "Windsock", Summary: "Demo: R&D", Body: tt.body, Actions: []string{}, Urgency: tt.want, Timeout: -1,
				Picture: tt.icon.Image(notifyIconSize),
			}}
			if diff := cmp.Diff(want, bus.WaitNotifications(t, 1)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// told is a Desktop that waits for an answer until it is told to give up. It tells
// when it does, where anybody listens.
type told struct {
	giveUp chan struct{}
	gaveUp chan error
}

func (d told) Notify(n Notification) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with Notify
		select {
		case <-d.giveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := Desktop{}.notify(ctx, n)
	if err != nil {
		select {
		case d.gaveUp <- err:
		default:
		}
	}
	return err
}

// asked waits until the daemon of a bus has been asked to show something.
func asked(t *testing.T, bus *traytest.Bus) {
	t.Helper()
	for late := time.Now().Add(time.Minute); len(bus.Notifications(t)) == 0; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("nothing is to be shown")
		}
	}
}

// TestNotifyGivesUp: whatever does not answer, nobody waits for it for ever, and
// where it can be helped it has nothing to show when it goes on.
func TestNotifyGivesUp(t *testing.T) {
	impatient := func(t *testing.T) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		return Desktop{}.notify(ctx, Notification{Title: "title"})
	}
	t.Run("at_first", func(t *testing.T) {
		bus := onBus(t)
		bus.Notifier(t).Hang("GetCapabilities")
		err := impatient(t)
		if shown := bus.Notifications(t); !errors.Is(err, context.DeadlineExceeded) || len(shown) > 0 {
			t.Errorf("error %v, asked to show %+v", err, shown)
		}
	})
	t.Run("when_it_is_to_show_one", func(t *testing.T) {
		bus := onBus(t)
		bus.Notifier(t).Hang("Notify")
		desktop := told{make(chan struct{}), make(chan error, 1)}
		ended := make(chan error, 1)
		go func() { ended <- desktop.Notify(Notification{Title: "title"}) }()
		asked(t, bus)
		close(desktop.giveUp)
		if err := <-ended; !errors.Is(err, context.Canceled) || len(bus.Notifications(t)) != 1 {
			t.Errorf("error %v, asked to show %+v", err, bus.Notifications(t))
		}
	})
	t.Run("bus", func(t *testing.T) {
		hangingBus(t)
		if err := impatient(t); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

// hangingBus has this process use a bus that takes connections and says nothing.
func hangingBus(t *testing.T) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "bus")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+socket)
}

// warn runs a Warner until the end of the test.
func warn(t *testing.T, notifier Notifier, pause time.Duration) *fakePoller {
	t.Helper()
	poller := &fakePoller{states: make(chan poll.State)}
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

// TestWarnerFindsALateDaemon: what is due before there is a daemon is shown by the
// one that comes, though no figures come any more.
func TestWarnerFindsALateDaemon(t *testing.T) {
	bus := onBus(t)
	desktop := told{nil, make(chan error, 1)}
	poller := warn(t, desktop, 10*time.Millisecond)
	poller.states <- polled(t, lowAnswer, 0)
	if err := <-desktop.gaveUp; err == nil {
		t.Fatal("shown, and there is nobody to show it")
	}
	bus.Notifier(t)
	shown := bus.WaitNotifications(t, 1)
	if shown[0].Summary != "Prompt credits: 16 % left" {
		t.Errorf("shown: %+v", shown)
	}
}

// TestWarnerOutlivesAHungDaemon: what a daemon did not show that hangs is shown by
// the next one.
func TestWarnerOutlivesAHungDaemon(t *testing.T) {
	bus := onBus(t)
	daemon := bus.Notifier(t)
	daemon.Hang("Notify")
	desktop := told{make(chan struct{}), make(chan error, 1)}
	poller := warn(t, desktop, firstPause)
	at := noon
	fetch := func() {
		at = at.Add(time.Minute)
		state := polled(t, lowAnswer, 0)
		state.At, state.Snapshot.Source.FetchedAt = at, at
		poller.states <- state
	}
	fetch()
	asked(t, bus)
	desktop.giveUp <- struct{}{}
	if err := <-desktop.gaveUp; !errors.Is(err, context.Canceled) {
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
