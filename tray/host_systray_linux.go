package tray

import (
	"context"
	"strings"

	"fyne.io/systray"

	"windsock/tray/desktop"
	"windsock/tray/icon"
)

// iconSetter sets the icon as pixels that come out right (package icon says
// how).
type iconSetter struct{}

// before has systray register with a picture, not with a hole in the panel, which
// is what it knows when it connects.
func (s iconSetter) before(i icon.Icon) { s.set(i) }

// set sets the icon. Where the bus goes away in the middle of that, systray panics
// (v1.12.2, SetIcon by SetMust); App.Run watches the bus and tells it.
func (iconSetter) set(i icon.Icon) {
	defer func() { _ = recover() }()
	systray.SetIcon(i.Tray("linux"))
}
func (iconSetter) tip(text string) { systray.SetTooltip(text) }
func (iconSetter) close()          {}

// setTitle does nothing: no panel has a place beside the icon, and the item's
// title is the app's name, by which panels list it.
func setTitle(string) {}

// escapeLabel doubles the underscores, of which a menu takes one for the mark
// of a key.
func escapeLabel(text string) string { return strings.ReplaceAll(text, "_", "__") }

// onActivate has f called for a left click where the panel asks for that and not for
// the menu. It returns when that holds.
//
// systray says that the item is a menu if it knows of no such f when it connects
// (v1.12.2, createPropSpec). It is to say so: panels that ask open the menu then, and
// the others (LXQt's) call all the same, which would do nothing.
func onActivate(ctx context.Context, f func()) {
	session, err := desktop.Connect(ctx)
	if err != nil {
		return // systray has no bus either; App.Run tells it
	}
	defer session.Close()
	if session.WaitItem(ctx) {
		systray.SetOnTapped(f)
	}
}
