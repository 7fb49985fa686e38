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
	// Subject is what it is about: any comparable value, or nil. On Linux it takes the place
	// of the notification with the same subject that is still shown.
	Subject any
	// Click and Actions work on Linux only, where the desktop's program takes them, so the
	// text has to be complete without. Click is a click on the notification; it may be nil.
	Click   Choose
	Actions []Action
}

// Action is a button of a notification.
type Action struct {
	Label  string
	Choose Choose
}

// Choose is called when a person chooses something, and must not block. What is opened
// with its context may come to the front.
type Choose func(context.Context)

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

// Notifier shows notifications on the person's desktop. They have no sound. Its methods
// may be called from any goroutine.
type Notifier struct {
	// Prefix stands before each title; a demo has one.
	Prefix string

	board board
}

// notifyTime is the desktop's time limit to accept a notification. At login it may
// have to start a program for that.
const notifyTime = 10 * time.Second

// Notify shows a notification. It returns when the desktop has accepted it, and fails
// after ten seconds.
func (d *Notifier) Notify(n Notification) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	return d.Show(ctx, n)
}

// Show shows a notification, or fails when ctx ends.
func (d *Notifier) Show(ctx context.Context, n Notification) error {
	n.Title = d.Prefix + n.Title
	err := d.board.show(ctx, n)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // more informative than the failure that it caused
		err = ctx.Err()
	}
	return fmt.Errorf("show notification: %w", err)
}

// Withdraw takes the notification about a subject off the screen, if it is still there.
// It works on Linux only.
func (d *Notifier) Withdraw(subject any) { d.board.withdraw(subject) }

// Close ends the wait for a person's choices. What is shown stays, but its buttons do
// nothing any more.
func (d *Notifier) Close() { d.board.close() }

// notifyIconSize is the size of the picture in pixels.
const notifyIconSize = 64
