package traytest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// The names by which trays and icons find each other.
const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	itemName    = "org.kde.StatusNotifierItem"
	itemPath    = "/StatusNotifierItem"
)

// Watcher is a StatusNotifierWatcher without a screen: icons register with it,
// and it announces them as a panel's watcher does.
type Watcher struct {
	bus *Bus

	mu         sync.Mutex // guards what follows
	conn       *dbus.Conn // nil while it is stopped
	properties *prop.Properties
	host       bool
	items      map[string]string // registered as → name on the bus
	bare       []string          // icons without a picture when they registered
}

// Watch puts a watcher on the bus. hostRegistered says whether a tray shows icons: a
// watcher accepts registrations without one, too.
func (b *Bus) Watch(tb testing.TB, hostRegistered bool) *Watcher {
	tb.Helper()
	w := &Watcher{bus: b, host: hostRegistered}
	w.Start(tb)
	return w
}

// Start puts a stopped watcher on the bus again. It knows no icons then: programs have
// to notice it and register again.
func (w *Watcher) Start(tb testing.TB) {
	tb.Helper()
	if w.conn != nil {
		tb.Fatal("the watcher is on the bus already")
	}
	conn := w.bus.connect(tb)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conn, w.items = conn, map[string]string{}
	if err := conn.Export(registry{w}, watcherPath, watcherName); err != nil {
		tb.Fatalf("export the watcher: %v", err)
	}
	var err error
	w.properties, err = prop.Export(conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: w.host, Emit: prop.EmitTrue},
		"ProtocolVersion":                {Value: int32(0), Emit: prop.EmitFalse},
		"RegisteredStatusNotifierItems":  {Value: []string{}, Emit: prop.EmitTrue},
	}})
	if err != nil {
		tb.Fatalf("export the watcher's properties: %v", err)
	}
	if err := conn.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged")); err != nil {
		tb.Fatalf("watch names: %v", err)
	}
	changes := make(chan *dbus.Signal, 64)
	conn.Signal(changes)
	go func() { // ends when the connection is closed, which closes the channel
		for change := range changes {
			w.nameChanged(conn, change)
		}
	}()
	reply, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		tb.Fatalf("take the name of the watcher: %v (%v)", reply, err)
	}
}

// Stop takes the watcher off the bus, as when a panel crashes.
func (w *Watcher) Stop(tb testing.TB) {
	tb.Helper()
	w.mu.Lock()
	conn := w.conn
	w.conn, w.items = nil, nil
	w.mu.Unlock()
	if conn == nil {
		tb.Fatal("the watcher has left the bus already")
	}
	if err := conn.Close(); err != nil {
		tb.Fatalf("close the watcher: %v", err)
	}
	wait(tb, "see the watcher leave the bus", func() (bool, string) { return !w.bus.owned(watcherName), "it stays" })
}

// SetHost announces that a tray has appeared or disappeared.
func (w *Watcher) SetHost(tb testing.TB, registered bool) {
	tb.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.host = registered
	w.set("IsStatusNotifierHostRegistered", registered)
	member := "StatusNotifierHostRegistered"
	if !registered {
		member = "StatusNotifierHostUnregistered"
	}
	if err := w.conn.Emit(watcherPath, watcherName+"."+member); err != nil {
		tb.Fatalf("announce a tray: %v", err)
	}
}

// Bare are the icons that had no picture when they registered, also before a restart
// of the watcher. A panel shows a hole for them, or complains.
func (w *Watcher) Bare() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.bare)
}

// announce reports a change of an icon, and of the list of icons; the caller holds the
// lock.
func (w *Watcher) announce(member, item string) {
	list := make([]string, 0, len(w.items))
	for name := range w.items {
		list = append(list, name)
	}
	slices.Sort(list)
	w.set("RegisteredStatusNotifierItems", list)
	_ = w.conn.Emit(watcherPath, watcherName+"."+member, item) // fails if the bus was killed
}

// set changes a property. If the bus was just killed, godbus panics, since it cannot
// return an error (v5.2.4, SetMust).
func (w *Watcher) set(property string, value any) {
	defer func() { _ = recover() }()
	w.properties.SetMust(watcherName, property, value)
}

// nameChanged removes the icons of a program that has left the bus.
func (w *Watcher) nameChanged(conn *dbus.Conn, change *dbus.Signal) {
	var name, before, after string
	if dbus.Store(change.Body, &name, &before, &after) != nil || after != "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != conn {
		return
	}
	for item, owner := range w.items {
		if owner == name {
			delete(w.items, item)
			w.announce("StatusNotifierItemUnregistered", item)
		}
	}
}

// registry is the watcher's side of the bus.
type registry struct{ w *Watcher }

// RegisterStatusNotifierItem accepts what real programs send: their name on the bus,
// or the path of their item.
func (r registry) RegisterStatusNotifierItem(service string, sender dbus.Sender) *dbus.Error {
	name, path := service, itemPath
	if strings.HasPrefix(service, "/") {
		name, path = string(sender), service
	}
	w := r.w
	var pictures []pixmap // as a panel does, while the program waits for its answer
	err := w.bus.conn.Object(name, dbus.ObjectPath(path)).StoreProperty(itemName+".IconPixmap", &pictures)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return dbus.MakeFailedError(dbus.ErrClosed)
	}
	if err != nil || len(pictures) == 0 || len(pictures[0].Data) == 0 {
		w.bare = append(w.bare, name+path)
	}
	w.items[name+path] = name
	w.announce("StatusNotifierItemRegistered", name+path)
	return nil
}
