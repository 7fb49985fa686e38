//go:build !linux

package tray

import "context"

// desktop has nothing to watch: the menu bar and the notification area are
// there as long as the session is.
type desktop struct{}

func connectDesktop() (*desktop, error) { return &desktop{}, nil }

func (*desktop) close() {}

func (*desktop) watch(context.Context, func(), func()) {}
