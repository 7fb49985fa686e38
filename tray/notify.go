package tray

import (
	"context"
	"fmt"
	"time"

	"windsock/tray/icon"
)

// Desktop shows notifications on the person's desktop. They have no sound.
type Desktop struct {
	// Prefix stands before each title; a demo has one.
	Prefix string
}

// notifyTime is how long a desktop may take to take a notification. At login it
// may have to start a program for that.
const notifyTime = 10 * time.Second

// Notify shows a notification. It returns when the desktop has taken it, or has
// not in ten seconds, which is an error. Any goroutine may call it.
func (d Desktop) Notify(title, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	return d.notify(ctx, title, text)
}

func (d Desktop) notify(ctx context.Context, title, text string) error {
	err := show(ctx, d.Prefix+title, text)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // which says more than what it has broken
		err = ctx.Err()
	}
	return fmt.Errorf("show notification: %w", err)
}

// notifyIcon is the app's, whatever the gauge says: a full windsock.
var notifyIcon = icon.Icon{Band: icon.OK, Level: icon.Steps}

// notifyIconSize is its size in pixels.
const notifyIconSize = 64
