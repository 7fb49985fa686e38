//go:build !linux

package desktop

import (
	"context"

	"github.com/gen2brain/beeep"
)

// beeeping holds one value while beeep is at work: it keeps the app's name in a
// variable.
var beeeping = make(chan struct{}, 1)

// show has beeep show a notification.
func show(ctx context.Context, n Notification) error {
	return inTurn(ctx, beeeping, func() error {
		beeep.AppName = AppName
		return beeep.Notify(n.Title, n.Text, notifyPicture(n.Icon))
	})
}

// inTurn runs do, which cannot be stopped, one at a time. Where do hangs, it keeps
// the turn until it ends; the callers wait no longer than their ctx.
func inTurn(ctx context.Context, turn chan struct{}, do func() error) error {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() { // the only one of its turn; ends with what it does
		defer func() { <-turn }()
		done <- do()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
