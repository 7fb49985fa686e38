package desktop

import (
	"context"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
)

// reader is a person who is shown notifications.
type reader struct {
	notifier *Notifier
	chosen   chan string // what was chosen, with the token
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{&Notifier{}, make(chan string, 16)}
	t.Cleanup(r.notifier.Close)
	return r
}

// show shows a notification with a click and an action.
func (r *reader) show(t *testing.T, title string, subject any) {
	t.Helper()
	choose := func(what string) Choose {
		return func(ctx context.Context) {
			tokens, _ := ctx.Value(activationKey{}).([]string)
			r.chosen <- title + ": " + what
			for _, token := range tokens {
				r.chosen <- token
			}
		}
	}
	if err := r.notifier.Notify(Notification{
		Title: title, Subject: subject, Click: choose("click"), Actions: []Action{{"Mute", choose("mute")}},
	}); err != nil {
		t.Fatal(err)
	}
}

// chose waits for choices.
func (r *reader) chose(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for range want {
		select {
		case one := <-r.chosen:
			got = append(got, one)
		case <-time.After(time.Minute):
			t.Fatalf("chosen: %q, want %q", got, want)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chosen (-want +got):\n%s", diff)
	}
}

// TestChoices: each click and each button does what its notification says.
func TestChoices(t *testing.T) {
	daemon := onBus(t).Notifier(t, "actions")
	r := newReader(t)
	r.show(t, "one", "a")
	r.show(t, "two", "b")
	daemon.WaitShown(t, 1, 2)
	daemon.Choose(t, 2, "1", "")
	r.chose(t, "two: mute")
	daemon.Choose(t, 1, "default", "token")
	r.chose(t, "one: click", "XDG_ACTIVATION_TOKEN=token", "DESKTOP_STARTUP_ID=token")
	daemon.WaitShown(t)
	r.show(t, "three", nil)
	daemon.Choose(t, 2, "1", "")        // over
	daemon.Choose(t, 17, "default", "") // another program's
	daemon.Choose(t, 3, "17", "")
	daemon.WaitShown(t, 3)
	r.show(t, "four", nil)
	daemon.Choose(t, 4, "default", "")
	r.chose(t, "four: click")
}

// TestReplacement: a notification takes the place of an older one about the same, but
// not of one that the person has closed.
func TestReplacement(t *testing.T) {
	bus := onBus(t)
	daemon := bus.Notifier(t, "actions")
	r := newReader(t)
	r.show(t, "one", "a")
	r.show(t, "two", "b")
	r.show(t, "three", "a")
	r.show(t, "four", nil)
	r.show(t, "five", nil)
	daemon.WaitShown(t, 1, 2, 3, 4)
	daemon.Choose(t, 1, "default", "")
	r.chose(t, "three: click")
	daemon.Dismiss(t, 2)
	daemon.Choose(t, 4, "default", "") // what was before has arrived by now
	r.chose(t, "five: click")
	r.show(t, "six", "b")
	r.show(t, "seven", "a")
	var replaces []uint32
	for _, n := range bus.WaitNotifications(t, 7) {
		replaces = append(replaces, n.Replaces)
	}
	if diff := cmp.Diff([]uint32{0, 0, 1, 0, 0, 0, 0}, replaces); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
}

// TestWithdraw: what a subject's notification says is over, and it is gone; others stay.
func TestWithdraw(t *testing.T) {
	daemon := onBus(t).Notifier(t)
	r := newReader(t)
	r.notifier.Withdraw("a") // nothing was shown yet
	r.show(t, "one", "a")
	r.show(t, "two", "b")
	r.notifier.Withdraw("a")
	daemon.WaitShown(t, 2)
	r.notifier.Withdraw("a")
	r.show(t, "three", "a")
	daemon.WaitShown(t, 2, 3)
	daemon.Hang("CloseNotification")
	r.notifier.Withdraw("b") // does not wait
}

// TestLiars: another program that speaks of our notifications is not believed.
func TestLiars(t *testing.T) {
	bus := onBus(t)
	daemon := bus.Notifier(t, "actions")
	r := newReader(t)
	r.show(t, "one", "a")
	us := r.notifier.board.session.Load().Bus().Names()[0]
	bus.Lie(t, us, notificationsPath, notificationsName+".ActivationToken", uint32(1), "lie")
	bus.Lie(t, us, notificationsPath, notificationsName+".ActionInvoked", uint32(1), "1")
	bus.Lie(t, us, notificationsPath, notificationsName+".NotificationClosed", uint32(1), uint32(2))
	daemon.Choose(t, 1, "default", "")
	r.chose(t, "one: click")
}

// TestDaemonRestarts: the numbers of a program that has gone mean nothing to the next
// one, which counts from the start.
func TestDaemonRestarts(t *testing.T) {
	bus := onBus(t)
	daemon := bus.Notifier(t, "actions")
	r := newReader(t)
	r.show(t, "one", "a")
	r.show(t, "two", "b")
	daemon.Stop(t)
	daemon = bus.Notifier(t, "actions")
	other := newReader(t)
	other.show(t, "another program's", "a")
	daemon.Choose(t, 1, "1", "")
	other.chose(t, "another program's: mute")
	r.notifier.Withdraw("a")
	r.show(t, "three", "a")
	r.show(t, "four", "b")
	daemon.WaitShown(t, 2, 3)
	daemon.Choose(t, 2, "default", "")
	r.chose(t, "three: click")
}

// TestAnotherRun: what an earlier run of the program has shown is not this one's.
func TestAnotherRun(t *testing.T) {
	daemon := onBus(t).Notifier(t, "actions")
	earlier := newReader(t)
	earlier.show(t, "one", "a")
	earlier.notifier.Close()
	daemon.WaitShown(t, 1)
	r := newReader(t)
	r.show(t, "two", "a")
	r.notifier.Withdraw("a")
	daemon.WaitShown(t, 1)
	daemon.Choose(t, 1, "default", "")
	r.show(t, "three", nil)
	daemon.Choose(t, 3, "default", "")
	r.chose(t, "three: click")
}

// TestBusRestarts: a new bus gets a new connection.
func TestBusRestarts(t *testing.T) {
	bus := onBus(t)
	bus.Notifier(t, "actions")
	r := newReader(t)
	r.show(t, "one", "a")
	bus.Kill()
	daemon := onBus(t).Notifier(t, "actions")
	deadline := time.Now().Add(time.Minute) // until the end of the old connection is heard
	for r.notifier.Notify(Notification{Title: "two", Subject: "a"}) != nil && time.Now().Before(deadline) {
	}
	daemon.WaitShown(t, 1)
	r.show(t, "three", "a")
	daemon.Choose(t, 1, "default", "")
	r.chose(t, "three: click")
}

// TestOldSignal: the end of a notification is not that of its successor with the same
// number.
func TestOldSignal(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context) {}
	b := board{shown: map[uint32]posted{5: {owner: ":1.7", since: 20, choices: map[string]Choose{clicked: nothing}}}}
	hear := func(name string, sequence dbus.Sequence, body ...any) bool {
		chosen, _ := b.hear(&dbus.Signal{Sender: ":1.7", Name: notificationsName + name, Sequence: sequence, Body: body})
		return chosen != nil
	}
	hear(".NotificationClosed", 19, uint32(5), uint32(2))
	if !hear(".ActionInvoked", 21, uint32(5), clicked) {
		t.Error("the new one is forgotten")
	}
	for _, body := range [][]any{nil, {"5"}, {uint32(5)}, {uint32(5), 7}} { // not as specified
		if hear(".ActionInvoked", 22, body...) {
			t.Errorf("%v is a choice", body)
		}
	}
	hear(".NotificationClosed", 23, uint32(5))
	if hear(".ActionInvoked", 24, uint32(5), clicked) {
		t.Error("the old one is remembered")
	}
}
