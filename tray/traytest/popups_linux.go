package traytest

import (
	"fmt"
	"testing"
)

// dunstName is the interface that dunst adds to the notification daemon's own.
const dunstName = "org.dunstproject.cmd0"

// Popups is how many notifications are on the screen. They stay there until
// they are closed, by [Desktop.ClosePopups], a click or their program.
func (d *Desktop) Popups(tb testing.TB) int {
	tb.Helper()
	var n uint32
	if err := d.conn.Object(notifierName, notifierPath).StoreProperty(dunstName+".displayedLength", &n); err != nil {
		tb.Fatalf("count the notifications on the screen: %v", err)
	}
	return int(n)
}

// WaitPopups waits until so many notifications are on the screen.
func (d *Desktop) WaitPopups(tb testing.TB, n int) {
	tb.Helper()
	wait(tb, fmt.Sprintf("see %d notifications on the screen", n), func() (bool, string) {
		shown := d.Popups(tb)
		return shown == n, fmt.Sprintf("there are %d", shown)
	})
}

// ClosePopups takes all notifications off the screen.
func (d *Desktop) ClosePopups(tb testing.TB) {
	tb.Helper()
	if err := d.conn.Object(notifierName, notifierPath).Call(dunstName+".NotificationCloseAll", 0).Err; err != nil {
		tb.Fatalf("close the notifications: %v", err)
	}
	d.WaitPopups(tb, 0)
}
