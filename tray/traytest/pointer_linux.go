package traytest

import (
	"bytes"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// The buttons of a pointer.
const (
	Left  = 1
	Right = 3
)

// Xdotool moves the pointer or presses keys: "key", "ctrl+v", or "type", "hello".
func (d *Desktop) Xdotool(tb testing.TB, args ...string) {
	tb.Helper()
	d.tool(tb, "xdotool", args...)
}

// Move moves the pointer, in pixels from the top left.
func (d *Desktop) Move(tb testing.TB, x, y int) {
	tb.Helper()
	d.Xdotool(tb, "mousemove", strconv.Itoa(x), strconv.Itoa(y))
}

// Click moves the pointer there and clicks.
func (d *Desktop) Click(tb testing.TB, x, y, button int) {
	tb.Helper()
	d.Xdotool(tb, "mousemove", strconv.Itoa(x), strconv.Itoa(y), "click", strconv.Itoa(button))
}

// panelStrip is the part of a screen that the panel takes.
func panelStrip(screen *image.NRGBA) *image.NRGBA {
	return Crop(screen, image.Rect(0, 0, screen.Rect.Dx(), panelHeight))
}

// panelDrawn reports whether the panel covers the wallpaper.
func (d *Desktop) panelDrawn(tb testing.TB) bool {
	tb.Helper()
	screen := d.Screen(tb)
	wallpaper := screen.NRGBAAt(0, screen.Rect.Max.Y-1)
	return screen.NRGBAAt(0, panelHeight/2) != wallpaper &&
		screen.NRGBAAt(screen.Rect.Max.X-1, panelHeight/2) != wallpaper
}

// icons is the smallest rectangle around the icons on the panel. Everything else is
// the same in every column, also in the leftmost one.
func icons(panel *image.NRGBA) image.Rectangle {
	empty := image.NewNRGBA(panel.Rect)
	for y := range panel.Rect.Dy() {
		row := empty.Pix[y*empty.Stride : (y+1)*empty.Stride]
		copy(row, bytes.Repeat(panel.Pix[y*panel.Stride:y*panel.Stride+4], panel.Rect.Dx()))
	}
	return Changed(empty, panel)
}

// IconPlace waits for an icon on the panel and returns its place on the screen: its
// visible part without the transparent edge, or its lit button while the pointer is
// there. For several icons it returns the rectangle around all.
func (d *Desktop) IconPlace(tb testing.TB) image.Rectangle {
	tb.Helper()
	var place image.Rectangle
	wait(tb, "see an icon on the panel", func() (bool, string) {
		place = icons(panelStrip(d.Screen(tb)))
		return !place.Empty(), "the panel is empty"
	})
	return icons(panelStrip(d.Still(tb)))
}

// OpenMenu clicks on the icon and waits until its menu is open and drawn. It returns
// the menu's place on the screen. A panel that has not fetched the menu yet does
// nothing, or opens its own menu; then OpenMenu clicks again.
func (d *Desktop) OpenMenu(tb testing.TB, button int) image.Rectangle {
	tb.Helper()
	icon := d.IconPlace(tb)
	middle := icon.Min.Add(icon.Size().Div(2))
	var menu image.Rectangle
	wait(tb, "see the icon's menu open", func() (bool, string) {
		before := below(d.Screen(tb)) // unchanged since IconPlace or CloseMenu
		heard := len(d.record.since(tb, 0))
		d.Click(tb, middle.X, middle.Y, button)
		if !poll(3*time.Second, 10*time.Millisecond, func() bool { return d.menuAsked(tb, heard) }) {
			d.CloseMenu(tb)
			return false, "the panel does not ask for it"
		}
		poll(5*time.Second, 10*time.Millisecond, func() bool {
			return !Changed(before, below(d.Screen(tb))).Empty()
		})
		menu = Changed(before, below(d.Still(tb)))
		d.covered = Crop(before, menu)
		return !menu.Empty(), "nothing changed on the screen"
	})
	d.menu = menu
	return menu.Add(image.Pt(0, panelHeight))
}

// menuAsked reports whether a panel has announced that it will show a program's
// menu, after the first n messages.
func (d *Desktop) menuAsked(tb testing.TB, n int) bool {
	tb.Helper()
	return slices.ContainsFunc(d.record.since(tb, n), func(m message) bool {
		return m.kind == dbus.TypeMethodCall && strings.HasPrefix(m.member, "AboutToShow")
	})
}

// CloseMenu closes an open menu, and waits until the content below it is visible
// again. The wait is limited, since the content may have changed.
func (d *Desktop) CloseMenu(tb testing.TB) {
	tb.Helper()
	d.Xdotool(tb, "key", "Escape")
	if d.covered != nil {
		poll(3*time.Second, 10*time.Millisecond, func() bool {
			return Changed(d.covered, Crop(below(d.Screen(tb)), d.menu)).Empty()
		})
		d.covered = nil
	}
	d.Still(tb)
}

// below is the screen without the panel.
func below(screen *image.NRGBA) *image.NRGBA {
	return Crop(screen, image.Rect(0, panelHeight, screen.Rect.Dx(), screen.Rect.Dy()))
}
