package tray

import (
	"context"
	"strings"

	"fyne.io/systray"

	"windsock/tray/desktop"
	"windsock/tray/icon"
)

// iconSetter sets the icon as pixels with correct colours (see package icon).
type iconSetter struct{}

// before gives systray a picture before it registers. Otherwise the panel would show a
// hole.
func (s iconSetter) before(i icon.Icon) { s.set(i) }

// set sets the icon. If the bus goes away meanwhile, systray panics (v1.12.2, SetIcon
// by SetMust); App.Run watches the bus and reports it.
func (iconSetter) set(i icon.Icon) {
	defer func() { _ = recover() }()
	systray.SetIcon(i.Tray("linux"))
}
func (iconSetter) tip(text string) { systray.SetTooltip(text) }
func (iconSetter) close()          {}

// setTitle does nothing: no panel has a place beside the icon, and the item's title is
// the app's name in panels' lists.
func setTitle(string) {}

// escapeLabel doubles the underscores: a menu takes a single one as the mark of a key.
func escapeLabel(text string) string { return strings.ReplaceAll(text, "_", "__") }

// onActivate registers f for a left click, for panels that report the click and do not
// open the menu. It returns when that is in force.
//
// systray declares the item a menu if it has no such f when it connects (v1.12.2,
// createPropSpec). It has to declare that: panels that read it open the menu then, and
// the others (LXQt's) report the click anyway, which would do nothing.
func onActivate(ctx context.Context, f func()) {
	session, err := desktop.Connect(ctx)
	if err != nil {
		return // systray has no bus either; App.Run reports it
	}
	defer session.Close()
	if session.WaitItem(ctx) {
		systray.SetOnTapped(f)
	}
}
