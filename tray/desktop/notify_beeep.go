//go:build !linux

package desktop

import (
	"context"

	"github.com/gen2brain/beeep"
)

// beeeping holds one value while beeep works: beeep keeps the app's name in a
// variable.
var beeeping = make(chan struct{}, 1)

// board is nothing: beeep tells of no choices, and takes nothing back.
type board struct{}

// show lets beeep show a notification.
func (*board) show(ctx context.Context, n Notification) error {
	return inTurn(ctx, beeeping, func() error {
		beeep.AppName = AppName
		return beeep.Notify(n.Title, n.Text, notifyPicture(n.Icon))
	})
}

func (*board) withdraw(any) {}

func (*board) close() {}

// inTurn runs do, which cannot be cancelled, one at a time. A do that hangs keeps the
// turn until it ends; callers wait only until the end of their ctx.
func inTurn(ctx context.Context, turn chan struct{}, do func() error) error {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() { // one per turn; ends with do
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
