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
	// asSet leaves the display time to the desktop's settings.
	asSet = int32(-1)
)

// show asks the notification program to show a notification. beeep would do so on
// systray's connection, and wait without a limit.
//
// show first asks the program for its capabilities. A program that hangs gets only
// that request, again and again, so that it does not show all the notifications when
// it recovers.
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
