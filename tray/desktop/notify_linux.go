package desktop

import (
	"context"
	"html"
	"slices"
	"strconv"

	"github.com/godbus/dbus/v5"

	"windsock/tray/icon"
)

// The program that shows notifications (Desktop Notifications Specification 1.2).
const (
	notificationsName = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
	// asSet leaves the display time to the desktop's settings.
	asSet = int32(-1)
	// clicked is the key of a click on the notification itself.
	clicked = "default"
)

// show asks the notification program to show a notification. beeep would do so on
// systray's connection, and wait without a limit.
//
// show first asks the program for its capabilities. A program that hangs gets only
// that request, again and again, so that it does not show all the notifications when
// it recovers.
func (b *board) show(ctx context.Context, n Notification) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.connect(ctx)
	if err != nil {
		return err
	}
	owner, err := s.Start(ctx, notificationsName)
	if err != nil {
		return err
	}
	program := s.bus.Object(owner, notificationsPath)
	var can []string
	if err := program.CallWithContext(ctx, notificationsName+".GetCapabilities", 0).Store(&can); err != nil {
		return err
	}
	text := n.Text
	if slices.Contains(can, "body-markup") {
		text = html.EscapeString(text)
	}
	actions, choices := []string{}, map[string]Choose{}
	if slices.Contains(can, "actions") {
		actions, choices = n.choices()
	}
	hints := map[string]dbus.Variant{
		"urgency": dbus.MakeVariant(byte(n.Urgency)), "image-data": dbus.MakeVariant(notifyImage(n.Icon)),
	}
	replaced := b.find(owner, n.Subject)
	call := program.CallWithContext(ctx, notificationsName+".Notify", 0,
		AppName, replaced, "", n.Title, text, actions, hints, asSet)
	var id uint32
	if err := call.Store(&id); err != nil {
		return err
	}
	delete(b.shown, replaced)
	b.shown[id] = posted{owner: owner, since: call.ResponseSequence, subject: n.Subject, choices: choices}
	return nil
}

// choices are the actions as the program takes them, key and label in turn, and what each
// key does. The click has no label: xfce4-notifyd 0.7, which tells of no click, would make
// it a button.
func (n Notification) choices() (actions []string, choices map[string]Choose) {
	actions, choices = []string{}, map[string]Choose{}
	add := func(key, label string, do Choose) {
		actions, choices[key] = append(actions, key, label), do
	}
	if n.Click != nil {
		add(clicked, "", n.Click)
	}
	for i, a := range n.Actions {
		add(strconv.Itoa(i+1), a.Label, a.Choose)
	}
	return actions, choices
}

// Start returns the owner of a name on the bus, after starting a program for it if need
// be. What is then asked of the owner is never answered by another program, as of the same
// name after a restart.
func (s *Session) Start(ctx context.Context, name string) (owner string, err error) {
	find := func() error {
		return s.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner)
	}
	if err := find(); err == nil || ctx.Err() != nil {
		return owner, err
	}
	if err := s.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.StartServiceByName", 0, name, uint32(0)).Err; err != nil {
		return "", err
	}
	err = find()
	return owner, err
}

// imageData is a picture as the hint of that name has it.
type imageData struct {
	Width, Height, RowStride int32
	HasAlpha                 bool
	BitsPerSample, Channels  int32
	Data                     []byte
}

func notifyImage(i icon.Icon) imageData {
	return imageData{
		Width: notifyIconSize, Height: notifyIconSize, RowStride: 4 * notifyIconSize,
		HasAlpha: true, BitsPerSample: 8, Channels: 4, Data: i.Image(notifyIconSize).Pix,
	}
}
