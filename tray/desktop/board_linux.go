package desktop

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
)

// board has what a Notifier shows. It has one connection to the bus, from the first
// notification on, and one goroutine that hears what becomes of them, which ends with the
// connection.
//
// A notification's number means something only to the program that gave it, in its present
// run. So a board knows none from before its own start, and forgets those of a program that
// was started again. It does not believe another program that speaks of a number.
type board struct {
	session atomic.Pointer[Session]

	// mu guards shown. It is held while the program takes a notification, so that what
	// becomes of that is heard after its number is known.
	mu    sync.Mutex
	shown map[uint32]posted // by number
}

// posted is a notification that may still be on the screen.
type posted struct {
	// owner is the program that shows it.
	owner string
	// since is the order of its number's arrival on the connection. A signal before that is
	// about an older notification with the same number.
	since   dbus.Sequence
	subject any
	choices map[string]Choose
	// token lets what is opened come to the front.
	token string
}

// signalsRoom is how many signals may wait for a notification that is being shown.
const signalsRoom = 64

// connect returns the board's connection, which does not end with ctx. The caller holds
// the lock.
func (b *board) connect(ctx context.Context) (*Session, error) {
	if s := b.session.Load(); s != nil && s.bus.Connected() {
		return s, nil
	}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	signals := make(chan *dbus.Signal, signalsRoom)
	s, err := Connect(lasting)
	if err == nil {
		s.bus.Signal(signals) // before anything that fails once the bus has gone: else nothing closes the channel
		err = s.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender(notificationsName),
			dbus.WithMatchObjectPath(notificationsPath), dbus.WithMatchInterface(notificationsName))
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		end()
		return nil, err
	}
	stop()
	b.shown = map[uint32]posted{}
	b.session.Store(s)
	go func() { // ends with the connection, which closes the channel
		for signal := range signals {
			if choose, token := b.hear(signal); choose != nil {
				choose(WithActivation(lasting, token, token))
			}
		}
	}()
	return s, nil
}

// find is the number of the notification of a program about a subject; 0 for none. Those
// of another program are forgotten.
func (b *board) find(owner string, subject any) uint32 {
	maps.DeleteFunc(b.shown, func(_ uint32, p posted) bool { return p.owner != owner })
	for id, p := range b.shown {
		if subject != nil && p.subject == subject {
			return id
		}
	}
	return 0
}

// hear takes in a signal, and returns what the person has chosen; nil for nothing. What
// was chosen of is closed: mako 1.7 leaves it there.
func (b *board) hear(signal *dbus.Signal) (chosen Choose, token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(signal.Body) == 0 {
		return nil, ""
	}
	id, _ := signal.Body[0].(uint32)
	p, ours := b.shown[id]
	if !ours || p.owner != signal.Sender || signal.Sequence < p.since {
		return nil, ""
	}
	var text string
	if len(signal.Body) > 1 {
		text, _ = signal.Body[1].(string)
	}
	switch signal.Name {
	case notificationsName + ".NotificationClosed":
		delete(b.shown, id)
	case notificationsName + ".ActivationToken":
		p.token = text
		b.shown[id] = p
	case notificationsName + ".ActionInvoked":
		if chosen = p.choices[text]; chosen != nil {
			b.remove(id)
		}
		return chosen, p.token
	}
	return nil, ""
}

// withdraw closes what is shown about a subject.
func (b *board) withdraw(subject any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, p := range b.shown {
		if p.subject == subject {
			b.remove(id)
		}
	}
}

// remove closes a notification, and forgets it. It waits for no answer: if the program
// does not show it any more, all is well. The caller holds the lock.
func (b *board) remove(id uint32) {
	if s := b.session.Load(); s != nil {
		s.bus.Object(b.shown[id].owner, notificationsPath).Go(notificationsName+".CloseNotification",
			dbus.FlagNoReplyExpected|dbus.FlagNoAutoStart, nil, id)
	}
	delete(b.shown, id)
}

// close ends the connection, also while a notification is being shown.
func (b *board) close() {
	if s := b.session.Load(); s != nil {
		s.Close()
	}
}
