package main

import (
	"testing"

	"windsock/tray/traytest"
)

// TestSoak is packaging/soak in short.
func TestSoak(t *testing.T) {
	traytest.Need(t, "dbus-daemon")
	if err := soak(t.Context(), t, t.Output(), short); err != nil {
		t.Error(err)
	}
}
