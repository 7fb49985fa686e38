//go:build !linux

package desktop

import (
	"context"

	"windsock/probe/doctor"
)

// Examine checks nothing: the menu bar and the notification area exist as long as the
// session.
func Examine(context.Context) []doctor.Step { return nil }
