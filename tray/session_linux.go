package tray

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	// hostPatience is how long a session may take to have its panel.
	hostPatience = 10 * time.Second
	// itemPause is between two looks for the own icon on the bus.
	itemPause = 50 * time.Millisecond
)

// session is an own connection to the session bus. The one that systray uses
// is shared by the whole process and must not be touched.
type session struct{ bus *dbus.Conn }

// connectSession connects to the session bus, for as long as ctx lasts; a bus that
// does not answer holds nobody up any longer. Where there is none it starts none,
// as D-Bus would, which nobody stops.
func connectSession(ctx context.Context) (*session, error) {
	if !hasBusAddress() {
		return nil, noBusError{}
	}
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, noBusError{err}
	}
	return &session{bus}, nil
}

func hasBusAddress() bool {
	// autolaunch: is a wish for a bus of one's own, not the desktop's.
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" && !strings.HasPrefix(a, "autolaunch:") {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus")) //nolint:gosec // a look, where the environment says
	return err == nil
}

// close ends the connection and what watch started.
func (s *session) close() { _ = s.bus.Close() } // there is nothing left to lose

// watch calls noHost once if nobody shows tray icons after a while, and gone
// when the session bus goes away. Both come from a goroutine that ends with ctx
// or with the connection.
func (s *session) watch(ctx context.Context, noHost, gone func()) {
	go func() {
		patience := time.NewTimer(hostPatience)
		defer patience.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.bus.Context().Done():
				gone()
				return
			case <-patience.C:
				// systray has a connection of its own, and says to nobody but the log that
				// it could not be made.
				if !s.owned(ctx, itemName()) {
					gone()
					return
				}
				if !s.hasHost(ctx) {
					noHost()
				}
			}
		}
	}()
}

// waitItem waits until systray has the icon on the bus, and reports whether it has.
func (s *session) waitItem(ctx context.Context) bool {
	item := s.bus.Object(itemName(), "/StatusNotifierItem")
	for {
		var isMenu bool
		err := item.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
			"org.kde.StatusNotifierItem", "ItemIsMenu").Store(&isMenu)
		if err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(itemPause):
		}
	}
}

// hasHost reports whether a panel shows tray icons. A watcher alone does not.
func (s *session) hasHost(ctx context.Context) bool {
	if !s.owned(ctx, watcherName) {
		return false
	}
	var registered bool
	err := s.bus.Object(watcherName, watcherPath).CallWithContext(ctx,
		"org.freedesktop.DBus.Properties.Get", 0, watcherName, "IsStatusNotifierHostRegistered").Store(&registered)
	return err == nil && registered
}

// owned reports whether somebody has a name on the bus.
func (s *session) owned(ctx context.Context, name string) bool {
	var owned bool
	err := s.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
	return err == nil && owned
}

// itemName is what systray calls the icon on the bus.
func itemName() string { return fmt.Sprintf("org.kde.StatusNotifierItem-%d-1", os.Getpid()) }

// noBusError says that there is no session bus to show a tray on.
type noBusError struct{ cause error }

func (e noBusError) Error() string {
	if e.cause == nil {
		return "no session bus"
	}
	return fmt.Sprintf("connect to session bus: %v", e.cause)
}

func (noBusError) Sentence() string {
	return "There is no desktop session here (no D-Bus session bus), so there is no place for an icon. " +
		"Start windsock inside the desktop session, or with --headless, or use `windsock status`."
}

func (noBusError) ExitCode() int { return 1 }
