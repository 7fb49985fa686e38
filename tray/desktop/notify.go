// Package desktop is the app's access to a person's desktop, on each system:
// notifications, the program that opens a file or a page, and on Linux the session bus.
// It knows nothing of plans; package tray has the icon and its menu.
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
	// Urgency works on Linux only. Many desktops show a critical notification until the
	// person clicks on it.
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

// AppIcon is the picture without figures: a full windsock.
var AppIcon = icon.Icon{Band: icon.OK, Level: icon.Steps}

// Notifier shows notifications on the person's desktop. They have no sound.
type Notifier struct {
	// Prefix stands before each title; a demo has one.
	Prefix string
}

// notifyTime is the desktop's time limit to accept a notification. At login it may
// have to start a program for that.
const notifyTime = 10 * time.Second

// Notify shows a notification. It returns when the desktop has accepted it, and fails
// after ten seconds. Any goroutine may call it.
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
	if ctx.Err() != nil { // more informative than the failure that it caused
		err = ctx.Err()
	}
	return fmt.Errorf("show notification: %w", err)
}

// notifyIconSize is the size of the picture in pixels.
const notifyIconSize = 64
