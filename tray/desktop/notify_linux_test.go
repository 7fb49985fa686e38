package desktop

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/icon"
	"windsock/tray/traytest"
)

// onBus has this process use a private bus. Tests of it are not parallel.
func onBus(t *testing.T) *traytest.Bus {
	t.Helper()
	bus := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address())
	return bus
}

// TestNotify: text that is markup to the desktop is shown verbatim.
func TestNotify(t *testing.T) {
	tests := []struct {
		name    string
		can     []string
		body    string
		urgency Urgency
		want    byte
		icon    icon.Icon
		actions []string
	}{
		{"plain", []string{"body"}, "R&D <b>team</b>", UrgencyLow, 0, icon.Icon{Band: icon.OK, Level: 4}, []string{}},
		{"markup", []string{"body", "body-markup"}, "R&amp;D &lt;b&gt;team&lt;/b&gt;", UrgencyNormal, 1, icon.Icon{Band: icon.Low, Level: 1}, []string{}},
		{"critical", []string{"body"}, "R&D <b>team</b>", UrgencyCritical, 2, icon.Icon{Band: icon.Exhausted}, []string{}},
		{
			"actions",
			[]string{"actions"},
			"R&D <b>team</b>", UrgencyNormal, 1,
			icon.Icon{Band: icon.Low, Level: 1},
			[]string{"default", "", "1", "Mute", "2", "Show"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bus := onBus(t)
			bus.Notifier(t, tt.can...)
			n := &Notifier{Prefix: "Demo: "}
			t.Cleanup(n.Close)
			nothing := func(context.Context) {}
			if err := n.Notify(Notification{
				Title: "R&D", Text: "R&D <b>team</b>", Icon: tt.icon, Urgency: tt.urgency,
				Click: nothing, Actions: []Action{{"Mute", nothing}, {"Show", nothing}},
			}); err != nil {
				t.Fatal(err)
			}
			want := []traytest.Notification{{
				ID: 1, App: "Windsock", Summary: "Demo: R&D", Body: tt.body, Actions: tt.actions, Urgency: tt.want, Timeout: -1,
				Picture: tt.icon.Image(notifyIconSize),
			}}
			if diff := cmp.Diff(want, bus.WaitNotifications(t, 1)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotifyGivesUp: if anything does not answer, the wait is limited, and if possible
// the program has nothing to show when it recovers.
func TestNotifyGivesUp(t *testing.T) {
	impatient := func(t *testing.T) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		n := new(Notifier)
		defer n.Close()
		return n.Show(ctx, Notification{Title: "title"})
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
		ctx, giveUp := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		n := new(Notifier)
		t.Cleanup(n.Close)
		go func() { ended <- n.Show(ctx, Notification{Title: "title"}) }()
		bus.WaitAsked(t)
		giveUp()
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
