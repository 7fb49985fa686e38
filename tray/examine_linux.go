package tray

import (
	"context"
	"slices"
	"time"
)

// The parts of the desktop.
const (
	partBus           = "session_bus"
	partHost          = "tray_host"
	partNotifications = "notifications"
)

const notificationsName = "org.freedesktop.Notifications"

// examineTime is how long the desktop may take to answer all that is asked.
const examineTime = 2 * time.Second

// ExamineDesktop looks at what the icon and the notifications need of the
// desktop, in two seconds at most. Nothing is started by that.
func ExamineDesktop(ctx context.Context) []DesktopPart {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	found := make(chan []DesktopPart, 1) // a bus that hangs is left to itself
	go func() { found <- examineDesktop(ctx) }()
	select {
	case parts := <-found:
		return parts
	case <-ctx.Done():
		return []DesktopPart{{Name: partBus, Finding: "the session bus does not answer in time", Took: examineTime}}
	}
}

func examineDesktop(ctx context.Context) []DesktopPart {
	start := time.Now()
	part := func(name string, ok bool, found, amiss, cure string) DesktopPart {
		p := DesktopPart{Name: name, OK: ok, Finding: found, Took: time.Since(start)}
		if !ok {
			p.Finding, p.Cure = amiss, cure
		}
		start = time.Now()
		return p
	}
	d, err := connectDesktop()
	bus := part(partBus, err == nil, "reachable", "there is none that can be reached",
		"An icon needs a desktop session; `windsock status` does not.")
	if err != nil {
		return []DesktopPart{bus}
	}
	defer d.close()
	return []DesktopPart{
		bus,
		part(partHost, d.hasHost(ctx), "a panel shows tray icons", "no panel shows tray icons",
			"On GNOME, the AppIndicator extension brings tray icons back."),
		part(partNotifications, d.startable(ctx, notificationsName), "there is a program that shows them", "no program shows them",
			"Install a notification daemon, such as the one of your desktop, or dunst."),
	}
}

// startable reports whether somebody has a name on the bus, or will have when
// it is called.
func (d *desktop) startable(ctx context.Context, name string) bool {
	if d.owned(ctx, name) {
		return true
	}
	var names []string
	err := d.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&names)
	return err == nil && slices.Contains(names, name)
}
