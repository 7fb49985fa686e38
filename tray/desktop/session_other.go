//go:build !linux

package desktop

import "context"

// Session has nothing to watch: the menu bar and the notification area are
// there as long as the session is.
type Session struct{}

// Connect always does.
func Connect(context.Context) (*Session, error) { return &Session{}, nil }

// Close does nothing.
func (*Session) Close() {}

// Watch calls neither.
func (*Session) Watch(context.Context, func(), func()) {}
