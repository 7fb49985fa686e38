package desktop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"windsock/probe/say"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	// hostTime is how long a session may take to start its panel.
	hostTime = 10 * time.Second
	// itemPause is the interval of looking for our icon on the bus.
	itemPause = 50 * time.Millisecond
)

// Session is a separate connection to the session bus. systray's connection is shared
// by the whole process and must not be touched.
type Session struct{ bus *dbus.Conn }

// Connect connects to the session bus until the end of ctx, which also limits the wait
// for its answer. Without a bus it starts none, as D-Bus would: that bus would never
// end.
func Connect(ctx context.Context) (*Session, error) {
	if !hasBusAddress() {
		return nil, noBus(errors.New("no session bus"))
	}
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, noBus(fmt.Errorf("connect to session bus: %w", err))
	}
	return &Session{bus}, nil
}

func hasBusAddress() bool {
	// autolaunch: requests a new bus, not the desktop's.
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

// Close ends the connection and what Watch started.
func (s *Session) Close() { _ = s.bus.Close() } // there is nothing left to lose

// Bus is the connection itself.
func (s *Session) Bus() *dbus.Conn { return s.bus }

// Watch calls noHost once if no panel shows tray icons after a while, and gone when
// the session bus goes away. The calls come from a goroutine that ends with ctx or the
// connection.
func (s *Session) Watch(ctx context.Context, noHost, gone func()) {
	go func() {
		wait := time.NewTimer(hostTime)
		defer wait.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.bus.Context().Done():
				gone()
				return
			case <-wait.C:
				// systray has its own connection, and reports a failure to connect in
				// the log only.
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

// WaitItem waits until systray has the icon on the bus, and reports whether it has.
func (s *Session) WaitItem(ctx context.Context) bool {
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
func (s *Session) hasHost(ctx context.Context) bool {
	if !s.owned(ctx, watcherName) {
		return false
	}
	var registered bool
	err := s.bus.Object(watcherName, watcherPath).CallWithContext(ctx,
		"org.freedesktop.DBus.Properties.Get", 0, watcherName, "IsStatusNotifierHostRegistered").Store(&registered)
	return err == nil && registered
}

// owned reports whether a program owns a name on the bus.
func (s *Session) owned(ctx context.Context, name string) bool {
	var owned bool
	err := s.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
	return err == nil && owned
}

// itemName is systray's name for the icon on the bus.
func itemName() string { return fmt.Sprintf("org.kde.StatusNotifierItem-%d-1", os.Getpid()) }

// noBus is the error for a missing session bus.
func noBus(err error) error {
	return &say.Error{
		What:  "There is no desktop session here (no D-Bus session bus), so there is no place for an icon.",
		Cure:  "Start windsock inside the desktop session, or with --headless, or use `windsock status`.",
		Cause: err,
	}
}
