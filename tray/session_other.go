//go:build !linux

package tray

import "context"

// session has nothing to watch: the menu bar and the notification area are
// there as long as the session is.
type session struct{}

func connectSession(context.Context) (*session, error) { return &session{}, nil }

func (*session) close() {}

func (*session) watch(context.Context, func(), func()) {}
