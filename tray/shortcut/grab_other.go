//go:build !linux && !windows

package shortcut

import (
	"context"
	"errors"

	"windsock/probe/say"
)

// grab fails. On macOS a key for the whole desktop needs Carbon's RegisterEventHotKey, and
// with it cgo and a bundle of the app.
func grab(context.Context, key, func(State), func(context.Context)) error {
	return &say.Error{
		What:  "Windsock cannot set a key on this system.",
		Cure:  "Bind `windsock prompt` to a key in the Shortcuts app.",
		Cause: errors.ErrUnsupported,
	}
}
