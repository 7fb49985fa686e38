package traytest

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/godbus/dbus/v5"
)

// Notification is a program's request to show a notification.
type Notification struct {
	ID       uint32 // given by the notification daemon; 0 while it has not answered
	App      string
	Replaces uint32 // the one that it replaces; 0 for none
	Summary  string
	Body     string   // may be markup
	Actions  []string // key and label in turn
	Urgency  byte     // 0 low, 1 normal, 2 critical; 1 if missing
	Timeout  int32    // milliseconds; -1 leaves it to the desktop, 0 is for ever
	// Picture was sent as pixels with an alpha channel; nil for none.
	Picture *image.NRGBA
}

// Notifications are all requests since the start of the bus, oldest first, even if no
// daemon was running.
func (b *Bus) Notifications(tb testing.TB) []Notification {
	tb.Helper()
	type request struct {
		sender string
		serial uint32
	}
	var list []Notification
	at := map[request]int{}
	for _, m := range b.record.since(tb, 0) {
		switch {
		case m.kind == dbus.TypeMethodCall && m.member == "Notify":
			n, err := notification(m.body)
			if err != nil {
				tb.Fatalf("read a notification: %v", err)
			}
			at[request{m.sender, m.serial}] = len(list)
			list = append(list, n)
		case m.kind == dbus.TypeMethodReply:
			if i, ok := at[request{m.dest, m.serial}]; ok && len(m.body) == 1 {
				list[i].ID, _ = m.body[0].(uint32)
			}
		}
	}
	return list
}

// WaitNotifications waits until at least n requests have arrived and a daemon has
// answered all, and returns them.
func (b *Bus) WaitNotifications(tb testing.TB, n int) []Notification {
	tb.Helper()
	var list []Notification
	wait(tb, fmt.Sprintf("see %d notifications", n), func() (bool, string) {
		list = b.Notifications(tb)
		unanswered := slices.ContainsFunc(list, func(n Notification) bool { return n.ID == 0 })
		return len(list) >= n && !unanswered, fmt.Sprintf("there are %+v", list)
	})
	return list
}

// WaitAsked waits for a program's request, whether or not a notification daemon
// answers.
func (b *Bus) WaitAsked(tb testing.TB) {
	tb.Helper()
	wait(tb, "see a notification", func() (bool, string) { return len(b.Notifications(tb)) > 0, "none has come" })
}

func notification(body []any) (Notification, error) {
	n := Notification{Urgency: 1}
	var icon string
	var hints map[string]dbus.Variant
	err := dbus.Store(body, &n.App, &n.Replaces, &icon, &n.Summary, &n.Body, &n.Actions, &hints, &n.Timeout)
	if err != nil {
		return n, err
	}
	if urgency, ok := hints["urgency"]; ok {
		err = urgency.Store(&n.Urgency)
	}
	if data, ok := hints["image-data"]; ok && err == nil {
		var p struct {
			Width, Height, Stride int32
			HasAlpha              bool
			Bits, Channels        int32
			Data                  []byte
		}
		err = data.Store(&p)
		if p.HasAlpha && p.Bits == 8 && p.Channels == 4 && len(p.Data) == int(p.Stride)*int(p.Height) {
			n.Picture = &image.NRGBA{Pix: p.Data, Stride: int(p.Stride), Rect: image.Rect(0, 0, int(p.Width), int(p.Height))}
		}
	}
	return n, err
}

// dunstName is the interface that dunst adds to the notification daemon's own.
const dunstName = "org.dunstproject.cmd0"

// WaitPopups waits until n notifications are on the screen. They stay until a click or
// their program closes them.
func (d *Desktop) WaitPopups(tb testing.TB, n int) {
	tb.Helper()
	wait(tb, fmt.Sprintf("see %d notifications on the screen", n), func() (bool, string) {
		var shown uint32
		err := d.conn.Object(notifierName, notifierPath).StoreProperty(dunstName+".displayedLength", &shown)
		return err == nil && int(shown) == n, fmt.Sprintf("there are %d", shown)
	})
}
