package traytest

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// Item is the tray icon of one process, seen from the bus.
type Item struct {
	bus   *Bus
	pid   int
	owner string // the process's unique name on the bus
	path  dbus.ObjectPath
}

// Item waits until a process has registered a tray icon with the watcher.
func (b *Bus) Item(tb testing.TB, pid int) *Item {
	tb.Helper()
	item := &Item{bus: b, pid: pid}
	wait(tb, fmt.Sprintf("find the tray icon of process %d", pid), func() (bool, string) {
		found, detail := item.find()
		return found, detail
	})
	return item
}

// WaitGone waits until the icon is no longer registered, as after the end of its
// program.
func (i *Item) WaitGone(tb testing.TB) {
	tb.Helper()
	wait(tb, fmt.Sprintf("lose the tray icon of process %d", i.pid), func() (bool, string) {
		again := &Item{bus: i.bus, pid: i.pid}
		found, detail := again.find()
		return !found, detail
	})
}

// Property reads a property of the icon, such as "Title".
func Property[T any](tb testing.TB, i *Item, name string) T {
	tb.Helper()
	var value T
	if err := i.bus.conn.Object(i.owner, i.path).StoreProperty(itemName+"."+name, &value); err != nil {
		tb.Fatalf("read %s of process %d's icon: %v", name, i.pid, err)
	}
	return value
}

// ToolTip is the tip's title, and its text on the lines after it.
func (i *Item) ToolTip(tb testing.TB) string {
	tb.Helper()
	tip := Property[struct {
		IconName    string
		Icons       []pixmap
		Title, Text string
	}](tb, i, "ToolTip")
	return strings.TrimSpace(tip.Title + "\n" + tip.Text)
}

// Icon is the largest of the icon's pictures.
func (i *Item) Icon(tb testing.TB) *image.NRGBA {
	tb.Helper()
	var largest pixmap
	for _, p := range Property[[]pixmap](tb, i, "IconPixmap") {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
	}
	picture, err := largest.picture()
	if err != nil {
		tb.Fatalf("read the icon of process %d: %v", i.pid, err)
	}
	return picture
}

// Activate is a left click in a panel that passes the click to the program. It waits
// until the program accepts one.
func (i *Item) Activate(tb testing.TB) {
	tb.Helper()
	wait(tb, "have a left click taken", func() (bool, string) {
		err := i.bus.conn.Object(i.owner, i.path).Call(itemName+".Activate", 0, int32(0), int32(0)).Err
		return err == nil, fmt.Sprint(err)
	})
}

// find searches the watcher's list for an icon of the process. Some programs register
// a name, some a path, so it compares the name's owner.
func (i *Item) find() (found bool, detail string) {
	watcher := i.bus.conn.Object(watcherName, watcherPath)
	var items []string
	if err := watcher.StoreProperty(watcherName+".RegisteredStatusNotifierItems", &items); err != nil {
		return false, "no watcher: " + err.Error()
	}
	for _, item := range items {
		name, path, _ := strings.Cut(item, "/")
		var owner string
		var pid uint32
		bus := i.bus.conn.BusObject()
		if bus.Call("org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner) != nil ||
			bus.Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, owner).Store(&pid) != nil {
			continue // it has just left
		}
		if int(pid) == i.pid {
			i.owner, i.path = owner, dbus.ObjectPath("/"+path)
			return true, ""
		}
	}
	return false, fmt.Sprintf("registered: %q", items)
}

// ping waits for an answer of the process, so that its earlier messages are on the
// bus.
func (i *Item) ping(tb testing.TB) {
	tb.Helper()
	if err := i.bus.conn.Object(i.owner, i.path).Call("org.freedesktop.DBus.Peer.Ping", 0).Err; err != nil {
		tb.Fatalf("reach process %d on the bus: %v", i.pid, err)
	}
}

// pixmap is a picture in its form on the bus: ARGB32 in network order, not
// premultiplied.
type pixmap struct {
	Width, Height int32
	Data          []byte
}

func (p pixmap) picture() (*image.NRGBA, error) {
	if p.Width <= 0 || p.Height <= 0 || int64(p.Width)*int64(p.Height)*4 != int64(len(p.Data)) {
		return nil, fmt.Errorf("%d bytes for %d×%d pixels", len(p.Data), p.Width, p.Height)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, int(p.Width), int(p.Height)))
	for at := 0; at < len(p.Data); at += 4 {
		argb := p.Data[at : at+4]
		copy(picture.Pix[at:], []byte{argb[1], argb[2], argb[3], argb[0]})
	}
	return picture, nil
}
