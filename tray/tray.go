// Package tray is the app in the menu bar: an icon that is a gauge, and a menu
// with the figures.
//
// Data flows one way. The poller's states and the person's actions go into one
// [State]; render makes a [View] of it, a plain value with everything visible; apply
// pushes the differences from the last View to menu rows that are made once. One
// goroutine, the actor, owns the State, the View and every call to the desktop. The
// results of the work that it starts (opening a page, writing the entry that starts
// the app at login) come back to it as messages.
//
// Only host_systray.go knows the systray library, which has one icon in one run
// of a process; everything else works on the host interface and is tested with
// a fake.
//
// Live figures are in the root menu, never in a submenu: KDE caches those. A hidden
// row is not touched: on Windows, any update shows it again.
package tray

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"windsock/chat/openai"
	"windsock/probe/say"
	"windsock/tray/desktop"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// App has the app's parts. All but Poller and Log may be missing; a row is in the menu
// only if there is something for it to open.
type App struct {
	// Version is shown in the row that quits.
	Version string
	// Demo says that the figures are invented, and Lapse that their clock runs fast.
	Demo, Lapse bool
	// Poller delivers the plans' states.
	Poller Poller
	// Autostart is the entry that starts the app at login.
	Autostart Autostart
	// Window shows a view of the window: WindowPrompt and so on. Cascades delivers what
	// the window could clean; it may be nil.
	Window   func(ctx context.Context, view string) error
	Cascades <-chan Cascades
	// Unasked reports whether there is a sign-in with which figures could be had over the
	// internet, and which the person has not allowed. It may block for as long as a look
	// for files takes; it may be nil.
	Unasked func() bool
	// API delivers the state of the local API, at first and after each change. SwitchAPI
	// stores in the settings whether it is on, and may block for as long as a file takes.
	API       <-chan openai.State
	SwitchAPI func(on bool) error
	// Lead stores in the settings which plan leads, and may block for as long as a file
	// takes.
	Lead func(plan string) error
	// Settings opens the settings.
	Settings func(context.Context) error
	// Diagnose saves a report on what keeps the app from the figures, and shows it.
	Diagnose func(context.Context) error
	// Open shows an address to the person.
	Open func(context.Context, string) error
	// Options are the settings at the start; Changes delivers new ones. Changes may be
	// closed, and may be nil.
	Options Options
	Changes <-chan Options
	// Warner has the meters whose warnings can be muted; it may be nil.
	Warner *Warner
	// Notice returns a sentence about the history for the person, or ""; it may be nil.
	Notice func() string
	// Tell writes to a person who may not see the icon.
	Tell func(string)
	Log  *slog.Logger
}

// Poller is the part of a [usage.Poller] that the tray uses.
type Poller interface {
	Subscribe() (plans <-chan poll.Plans, cancel func())
	Refresh() time.Duration
}

// Autostart is the entry that starts the app at login. Its methods may block
// for as long as a file takes.
type Autostart interface {
	Enabled() (bool, error)
	Enable() error
	Disable() error
}

// Options are the settings of the tray.
type Options struct {
	Config Config
	Words  words.Words
	// Problem is a sentence about unusable settings, or "".
	Problem string
}

// The views that rows open.
const (
	WindowPrompt   = "prompt"
	WindowUsage    = "usage"
	WindowCascades = "cascades"
	WindowConsent  = "settings#cloud"
)

// ErrBusGone ends Run when the desktop's session bus has gone away, and the icon with
// it. It occurs only on Linux.
var ErrBusGone error = &say.Error{
	What:  "The desktop's session bus is gone, and the icon with it.",
	Cure:  "Start Windsock again when the desktop is back.",
	Cause: errors.New("show tray: the session bus is gone"),
}

// Run shows the icon until ctx ends or the person quits, and then returns nil. It has
// to be called once, on the process's first goroutine.
func (a App) Run(ctx context.Context) error {
	session, err := desktop.Connect(ctx)
	if failed, ok := errors.AsType[*say.Error](err); ok && a.Demo { // whose flags and figures are other ones
		told := *failed
		told.Cure = "Start the demo inside the desktop session, or use " + a.status() + "."
		err = &told
	}
	if err != nil {
		return fmt.Errorf("show tray: %w", err)
	}
	defer session.Close()
	outer := ctx
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	session.Watch(ctx, a.noHost, func() { quit(ErrBusGone) })

	var act *actor
	err = runSystray(ctx, render(a.firstState()).Icon,
		func(h host) { act = a.newActor(h) },
		func(clicks <-chan RowID) { act.run(ctx, clicks) })
	switch {
	case outer.Err() != nil: // however it ended, it was asked to
		return nil
	case errors.Is(context.Cause(ctx), ErrBusGone):
		return ErrBusGone
	case err != nil:
		return fmt.Errorf("show tray: %w", err)
	default:
		return nil
	}
}

// RunHeadless logs what the app would show until ctx ends, and then returns nil.
func (a App) RunHeadless(ctx context.Context) error {
	states, cancel := a.Poller.Subscribe()
	defer cancel()
	polls := pollLog{log: a.Log}
	polls.logProblem(ctx, a.Options.Problem)
	changes := a.Changes
	for {
		select {
		case <-ctx.Done():
			return nil
		case o, open := <-changes:
			if !open {
				changes = nil
				continue
			}
			polls.logProblem(ctx, o.Problem)
		case plans, open := <-states:
			if !open {
				return nil
			}
			polls.logPlans(ctx, plans)
		}
	}
}

// status is the command that needs no desktop.
func (a App) status() string {
	if a.Demo {
		return "`windsock demo status`"
	}
	return "`windsock status`"
}

// noHost tells the person that no panel shows the icon.
func (a App) noHost() {
	text := "No panel here shows tray icons. Windsock goes on without one; " + a.status() + " has the figures. " +
		"On GNOME, the AppIndicator extension brings tray icons back."
	a.Log.Warn("no tray host")
	if a.Tell != nil {
		a.Tell(text)
	}
	// A separate notification: if the app was started at login, the person cannot read
	// its output. It ends when the desktop has accepted it, or at the time limit.
	go func() {
		notifier := new(desktop.Notifier)
		defer notifier.Close()
		if err := notifier.Notify(desktop.Notification{
			Title: "No place for the icon", Text: text, Icon: desktop.AppIcon, Urgency: desktop.UrgencyNormal,
		}); err != nil {
			a.Log.Warn("notification not shown", slog.Any("err", err))
		}
	}()
}
