package tray

import (
	"strings"

	"fyne.io/systray"

	"windsock/tray/icon"
)

// iconSetter sets the icon as pixels that come out right (package icon says
// how).
type iconSetter struct{}

// set sets the icon. Where the bus goes away in the middle of that, systray panics
// (v1.12.2, SetIcon by SetMust); what comes of it is told by who watches the bus.
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
