// Package desktop is what the app needs of a person's desktop, on each system:
// notifications, the program that opens a file or a page, and on Linux the session bus.
// It knows nothing of plans; the icon and its menu are package tray's.
package desktop

import (
	"context"
	"fmt"
	"time"

	"windsock/tray/icon"
)

// Notification is what a desktop is to show for a while.
type Notification struct {
	Title, Text string
	// Icon is the picture beside them.
	Icon icon.Icon
	// Urgency is heeded on Linux alone. Many desktops leave a critical one until
	// the person clicks on it.
	Urgency Urgency
}

// Urgency is how much a notification may disturb, as the Desktop Notifications
// Specification has it.
type Urgency byte

// The urgencies.
const (
	UrgencyLow Urgency = iota
	UrgencyNormal
	UrgencyCritical
)

// AppName is what panels and notifications call the app.
const AppName = "Windsock"

// AppIcon is the picture of what is about no figures: a full windsock.
var AppIcon = icon.Icon{Band: icon.OK, Level: icon.Steps}

// Notifier shows notifications on the person's desktop. They have no sound.
type Notifier struct {
	// Prefix stands before each title; a demo has one.
	Prefix string
}

// notifyTime is how long a desktop may take to take a notification. At login it
// may have to start a program for that.
const notifyTime = 10 * time.Second

// Notify shows a notification. It returns when the desktop has taken it, or has
// not in ten seconds, which is an error. Any goroutine may call it.
func (d Notifier) Notify(n Notification) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	return d.Show(ctx, n)
}

// Show shows a notification, or fails when ctx ends.
func (d Notifier) Show(ctx context.Context, n Notification) error {
	n.Title = d.Prefix + n.Title
	err := show(ctx, n)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // which says more than what it has broken
		err = ctx.Err()
	}
	return fmt.Errorf("show notification: %w", err)
}

// notifyIconSize is the size of the picture in pixels.
const notifyIconSize = 64
