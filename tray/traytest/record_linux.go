package traytest

import (
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// message is something that went over the bus.
type message struct {
	kind   dbus.Type
	sender string
	dest   string
	serial uint32 // of an answer: that of what it answers
	member string
	body   []any
}

// recorder hears what rules name, whoever it is for, in the order in which the
// bus passed it on.
type recorder struct {
	bus *Bus

	mu       sync.Mutex
	messages []message
	marks    uint64 // how many of its own marks have come by
	made     uint64 // how many it has made
}

// markInterface is the sender's side of a mark: a signal that the harness sends
// to itself, to know that everything sent before it has been heard.
const markInterface = "windsock.traytest"

// rules are what the recorder hears: all signals, requests for notifications and
// their answers, and what a panel calls before it opens a program's menu.
var rules = []string{
	"type='signal'",
	"type='method_call',interface='org.freedesktop.Notifications',member='Notify'",
	"type='method_return',sender='org.freedesktop.Notifications'",
	"type='method_call',interface='com.canonical.dbusmenu',member='AboutToShow'",
	"type='method_call',interface='com.canonical.dbusmenu',member='AboutToShowGroup'",
}

// newRecorder makes the bus pass on a copy of everything. The connection only
// listens from then on; it closes with the test.
func newRecorder(tb testing.TB, b *Bus) *recorder {
	tb.Helper()
	r := &recorder{bus: b}
	conn := b.connect(tb)
	err := conn.BusObject().Call("org.freedesktop.DBus.Monitoring.BecomeMonitor", 0, rules, uint32(0)).Err
	if err != nil {
		tb.Fatalf("watch the private bus: %v", err)
	}
	heard := make(chan *dbus.Message, 1<<14) // godbus drops what does not fit
	conn.Eavesdrop(heard)
	stop := make(chan struct{})
	tb.Cleanup(func() {
		conn.Eavesdrop(nil) // before it is closed: godbus v5.2.4 may send on the channel that Close has closed
		close(stop)
	})
	go func() { // ends with the test, or when the bus goes, which closes the channel
		for {
			select {
			case m, ok := <-heard:
				if !ok {
					return
				}
				r.hear(m)
			case <-stop:
				return
			}
		}
	}()
	return r
}

func (r *recorder) hear(m *dbus.Message) {
	text := func(field dbus.HeaderField) string {
		value, _ := m.Headers[field].Value().(string)
		return value
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if text(dbus.FieldInterface) == markInterface {
		r.marks++
		return
	}
	serial := m.Serial()
	if m.Type == dbus.TypeMethodReply {
		serial, _ = m.Headers[dbus.FieldReplySerial].Value().(uint32)
	}
	r.messages = append(r.messages, message{
		kind: m.Type, sender: text(dbus.FieldSender), dest: text(dbus.FieldDestination),
		serial: serial, member: text(dbus.FieldMember), body: m.Body,
	})
}

// since waits until all that was sent so far is heard, and returns what came
// after the first n messages.
func (r *recorder) since(tb testing.TB, n int) []message {
	tb.Helper()
	r.mu.Lock()
	r.made++
	mark := r.made
	r.mu.Unlock()
	if err := r.bus.conn.Emit("/", markInterface+".Mark"); err != nil {
		tb.Fatalf("mark a point on the bus: %v", err)
	}
	wait(tb, "hear what was sent on the bus", func() (bool, string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.marks >= mark, ""
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.messages[n:len(r.messages):len(r.messages)]
}

// Signals counts what an icon's process sends from some point on.
type Signals struct {
	item *Item
	from int
}

// Signals starts a count of the signals that the item's process sends.
func (i *Item) Signals(tb testing.TB) *Signals {
	tb.Helper()
	i.ping(tb)
	return &Signals{item: i, from: len(i.bus.record.since(tb, 0))}
}

// Count is how many signals of each name have come since the start of the
// count: LayoutUpdated, ItemsPropertiesUpdated, PropertiesChanged, NewIcon and
// so on. What the process has sent before the call is in it, and an empty map is
// the proof that it has sent nothing.
func (s *Signals) Count(tb testing.TB) map[string]int {
	tb.Helper()
	s.item.ping(tb)
	counts := map[string]int{}
	for _, m := range s.item.bus.record.since(tb, s.from) {
		if m.kind == dbus.TypeSignal && m.sender == s.item.owner {
			counts[m.member]++
		}
	}
	return counts
}
