package desktop

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/traytest"
)

// TestExamine: the existing and the missing parts of the desktop.
func TestExamine(t *testing.T) {
	tests := []struct {
		name string
		lay  func(*traytest.Bus)
		want map[string]bool
	}{
		{"bare", func(*traytest.Bus) {}, map[string]bool{"session_bus": true, "tray_host": false, "notifications": false}},
		{"watcher_alone", func(b *traytest.Bus) { b.Watch(t, false) }, map[string]bool{"session_bus": true, "tray_host": false, "notifications": false}},
		{"panel", func(b *traytest.Bus) { b.Watch(t, true) }, map[string]bool{"session_bus": true, "tray_host": true, "notifications": false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.lay(onBus(t))
			checkDesktop(t, tt.want)
		})
	}
	t.Run("no_bus", func(t *testing.T) {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
		checkDesktop(t, map[string]bool{"session_bus": false})
	})
	t.Run("hanging_bus", func(t *testing.T) {
		hangingBus(t)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		parts := Examine(ctx)
		if len(parts) != 1 || parts[0].OK || parts[0].Finding != "no answer in time" {
			t.Errorf("%+v", parts)
		}
	})
}

func checkDesktop(t *testing.T, want map[string]bool) {
	t.Helper()
	got := map[string]bool{}
	for _, p := range Examine(t.Context()) {
		got[p.Name] = p.OK
		if p.Finding == "" || (p.Cure == "") != p.OK {
			t.Errorf("%+v", p)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
