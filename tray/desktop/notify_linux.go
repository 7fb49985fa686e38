package desktop

import (
	"context"
	"html"
	"slices"

	"github.com/godbus/dbus/v5"

	"windsock/tray/icon"
)

// The program that shows notifications (Desktop Notifications Specification 1.2).
const (
	notificationsName = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
	// asSet leaves it to the desktop's settings how long a notification is shown.
	asSet = int32(-1)
)

// show asks the program that shows notifications to show one. beeep does so on the
// connection that systray has, without an end to the wait.
//
// That program is asked first what it can do. One that hangs is asked no more than
// that, time and again, so that it has nothing to show so many times when it goes
// on.
func show(ctx context.Context, n Notification) error {
	s, err := Connect(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	program := s.bus.Object(notificationsName, notificationsPath)
	var can []string
	if err := program.CallWithContext(ctx, notificationsName+".GetCapabilities", 0).Store(&can); err != nil {
		return err
	}
	text := n.Text
	if slices.Contains(can, "body-markup") {
		text = html.EscapeString(text)
	}
	hints := map[string]dbus.Variant{
		"urgency": dbus.MakeVariant(byte(n.Urgency)), "image-data": dbus.MakeVariant(notifyImage(n.Icon)),
	}
	return program.CallWithContext(ctx, notificationsName+".Notify", 0,
		AppName, uint32(0), "", n.Title, text, []string{}, hints, asSet).Err
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
