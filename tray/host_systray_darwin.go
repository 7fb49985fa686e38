//go:build cgo

package tray

import (
	"context"

	"fyne.io/systray"

	"windsock/tray/icon"
)

// iconSetter sets the icon as a template, which the menu bar paints in its own colour.
type iconSetter struct{}

func (iconSetter) before(icon.Icon) {}
func (iconSetter) set(i icon.Icon)  { systray.SetTemplateIcon(i.Template(), i.Tray("darwin")) }
func (iconSetter) tip(text string)  { systray.SetTooltip(text) }
func (iconSetter) close()           {}

func setTitle(text string) { systray.SetTitle(text) }

func escapeLabel(text string) string { return text }

// onActivate does nothing: a click opens the menu.
func onActivate(context.Context, func()) {}
