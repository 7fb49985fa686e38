package traytest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// The names of the notification daemon.
const (
	notifierName = "org.freedesktop.Notifications"
	notifierPath = "/org/freedesktop/Notifications"
)

// Notifier is a notification daemon without a screen. A desktop has a real one.
type Notifier struct {
	bus  *Bus
	conn *dbus.Conn
	can  []string

	mu      sync.Mutex // guards the rest
	last    uint32
	shown   []uint32 // the numbers of what is shown, oldest first
	ignored []string
}

// Notifier puts a notification daemon on the bus, with capabilities such as "body",
// "body-markup" and "actions". [Bus.Notifications] has its requests.
func (b *Bus) Notifier(tb testing.TB, capabilities ...string) *Notifier {
	tb.Helper()
	n := &Notifier{bus: b, conn: b.connect(tb), can: capabilities}
	if err := n.conn.Export(notifying{n}, notifierPath, notifierName); err != nil {
		tb.Fatalf("export the notification daemon: %v", err)
	}
	reply, err := n.conn.RequestName(notifierName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		tb.Fatalf("take the name of the notification daemon: %v (%v)", reply, err)
	}
	return n
}

// Stop takes the daemon off the bus, like a crash. It is not started again;
// [Bus.Notifier] replaces it.
func (n *Notifier) Stop(tb testing.TB) {
	tb.Helper()
	if err := n.conn.Close(); err != nil {
		tb.Fatalf("close the notification daemon: %v", err)
	}
	wait(tb, "see the notification daemon leave the bus", func() (bool, string) { return !n.bus.owned(notifierName), "it stays" })
}

// Hang makes the daemon stop answering some methods, such as "Notify".
func (n *Notifier) Hang(methods ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ignored = append(n.ignored, methods...)
}

// Choose is a person's choice of an action of a notification, by its key; "default" is a
// click on it. The notification stays, as with mako. A token lets the program come to the
// front.
func (n *Notifier) Choose(tb testing.TB, id uint32, key, token string) {
	tb.Helper()
	if token != "" {
		n.emit(tb, "ActivationToken", id, token)
	}
	n.emit(tb, "ActionInvoked", id, key)
}

// Dismiss closes a notification as a person does.
func (n *Notifier) Dismiss(tb testing.TB, id uint32) {
	tb.Helper()
	n.remove(id)
	n.emit(tb, "NotificationClosed", id, uint32(2))
}

// WaitShown waits until exactly those notifications are shown, the oldest first.
func (n *Notifier) WaitShown(tb testing.TB, ids ...uint32) {
	tb.Helper()
	wait(tb, fmt.Sprintf("see notifications %d", ids), func() (bool, string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		return slices.Equal(n.shown, ids), fmt.Sprintf("%d are shown", n.shown)
	})
}

func (n *Notifier) emit(tb testing.TB, member string, body ...any) {
	tb.Helper()
	if err := n.conn.Emit(notifierPath, notifierName+"."+member, body...); err != nil {
		tb.Fatalf("tell of a notification: %v", err)
	}
}

// remove reports whether a notification was shown.
func (n *Notifier) remove(id uint32) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.Index(n.shown, id)
	if i < 0 {
		return false
	}
	n.shown = slices.Delete(n.shown, i, i+1)
	return true
}

// answerable returns when a call of a method may be answered; for a hanging one,
// never.
func (n *Notifier) answerable(method string) {
	n.mu.Lock()
	ignored := slices.Contains(n.ignored, method)
	n.mu.Unlock()
	if ignored {
		<-n.conn.Context().Done()
	}
}

// notifying is the daemon's side of the bus.
type notifying struct{ n *Notifier }

// Notify gives a notification a number, or keeps the one that it replaces.
func (s notifying) Notify(
	_ string, replaces uint32, _, _, _ string, _ []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	s.n.answerable("Notify")
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	id := replaces
	if id == 0 {
		s.n.last++
		id = s.n.last
	}
	if !slices.Contains(s.n.shown, id) {
		s.n.shown = append(s.n.shown, id)
	}
	return id, nil
}

// CloseNotification closes a notification for its program, and says so.
func (s notifying) CloseNotification(id uint32) *dbus.Error {
	s.n.answerable("CloseNotification")
	if s.n.remove(id) {
		_ = s.n.conn.Emit(notifierPath, notifierName+".NotificationClosed", id, uint32(3)) // fails if the bus was killed
	}
	return nil
}

// GetCapabilities returns the daemon's capabilities.
func (s notifying) GetCapabilities() ([]string, *dbus.Error) {
	s.n.answerable("GetCapabilities")
	return slices.Clone(s.n.can), nil
}
