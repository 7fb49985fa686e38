package traytest

import (
	"fmt"
	"testing"
)

// dunstName is the interface that dunst adds to the notification daemon's own.
const dunstName = "org.dunstproject.cmd0"

// WaitPopups waits until so many notifications are on the screen, which stay there
// until a click or their program closes them.
func (d *Desktop) WaitPopups(tb testing.TB, n int) {
	tb.Helper()
	wait(tb, fmt.Sprintf("see %d notifications on the screen", n), func() (bool, string) {
		var shown uint32
		err := d.conn.Object(notifierName, notifierPath).StoreProperty(dunstName+".displayedLength", &shown)
		return err == nil && int(shown) == n, fmt.Sprintf("there are %d", shown)
	})
}
