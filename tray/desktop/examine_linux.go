package desktop

import (
	"context"
	"slices"
	"time"

	"windsock/probe/doctor"
)

// The parts of the desktop.
const (
	partBus           = "session_bus"
	partHost          = "tray_host"
	partNotifications = "notifications"
)

// examineTime is the desktop's time limit for all answers.
const examineTime = 2 * time.Second

// Examine checks what the icon and the notifications need of the desktop, in two
// seconds at most. It starts nothing.
func Examine(ctx context.Context) []doctor.Step {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	start := time.Now()
	part := func(name string, ok bool, found, missing, cure string) doctor.Step {
		p := doctor.Step{Name: name, OK: ok, Finding: found, Duration: time.Since(start)}
		if !ok {
			p.Finding, p.Cure = missing, cure
			if ctx.Err() != nil {
				p.Finding = "no answer in time"
			}
		}
		start = time.Now()
		return p
	}
	s, err := Connect(ctx)
	bus := part(partBus, err == nil, "reachable", "there is none that can be reached",
		"An icon needs a desktop session; `windsock status` does not.")
	if err != nil {
		return []doctor.Step{bus}
	}
	defer s.Close()
	return []doctor.Step{
		bus,
		part(partHost, s.hasHost(ctx), "a panel shows tray icons", "no panel shows tray icons",
			"On GNOME, the AppIndicator extension brings tray icons back."),
		part(partNotifications, s.startable(ctx, notificationsName), "there is a program that shows them", "no program shows them",
			"Install a notification daemon, such as the one of your desktop, or dunst."),
	}
}

// startable reports whether a program owns a name on the bus, or would be started by a
// call to it.
func (s *Session) startable(ctx context.Context, name string) bool {
	if s.owned(ctx, name) {
		return true
	}
	var names []string
	err := s.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&names)
	return err == nil && slices.Contains(names, name)
}
