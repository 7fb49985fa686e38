package traytest

import (
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// message is a message on the bus.
type message struct {
	kind   dbus.Type
	sender string
	dest   string
	serial uint32 // for a response, the serial of its request
	member string
	body   []any
}

// recorder receives the messages that match rules, for any receiver, in the bus's
// order.
type recorder struct {
	bus *Bus

	mu       sync.Mutex
	messages []message
	marks    uint64 // how many of its own marks have arrived
	made     uint64 // how many it has sent
}

// markInterface is the interface of a mark: a signal from the harness to itself, which
// shows that all earlier messages have arrived.
const markInterface = "windsock.traytest"

// rules select the recorded messages: all signals, requests for notifications and
// their responses, and a panel's calls before it opens a program's menu.
var rules = []string{
	"type='signal'",
	"type='method_call',interface='org.freedesktop.Notifications',member='Notify'",
	"type='method_return',sender='org.freedesktop.Notifications'",
	"type='method_call',interface='com.canonical.dbusmenu',member='AboutToShow'",
	"type='method_call',interface='com.canonical.dbusmenu',member='AboutToShowGroup'",
}

// newRecorder makes the bus copy all those messages to its connection, which only
// receives from then on and closes with the test.
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
	go func() { // ends with the test or the bus, which closes the channel
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

// since waits until all messages sent so far have arrived, and returns those after the
// first n.
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

// Signals counts the signals of an icon's process from some point on.
type Signals struct {
	item *Item
	from int
}

// Signals starts a count of the signals of the item's process.
func (i *Item) Signals(tb testing.TB) *Signals {
	tb.Helper()
	i.ping(tb)
	return &Signals{item: i, from: len(i.bus.record.since(tb, 0))}
}

// Count is the number of signals by name since the start of the count: LayoutUpdated,
// ItemsPropertiesUpdated, PropertiesChanged, NewIcon and so on. It includes everything
// sent before the call, so an empty map proves that the process has sent nothing.
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
