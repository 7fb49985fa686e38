//go:build !linux

package desktop

import "context"

// Session has nothing to watch: the menu bar and the notification area exist as long
// as the session.
type Session struct{}

// Connect always succeeds.
func Connect(context.Context) (*Session, error) { return &Session{}, nil }

// Close does nothing.
func (*Session) Close() {}

// Watch calls neither function.
func (*Session) Watch(context.Context, func(), func()) {}
