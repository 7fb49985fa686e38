//go:build !cgo

package tray

import (
	"context"
	"errors"

	"windsock/tray/icon"
)

// runSystray fails: the menu bar needs cgo.
func runSystray(context.Context, icon.Icon, func(host), func(<-chan RowID)) error {
	return errors.New("this build has no menu bar; build it with CGO_ENABLED=1")
}
