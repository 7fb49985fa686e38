//go:build !darwin || cgo

package tray

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"fyne.io/systray"

	"windsock/tray/desktop"
	"windsock/tray/icon"
)

// systrayHost is the desktop's real tray.
type systrayHost struct {
	items [rowCount]*systray.MenuItem
	icons iconSetter
}

// runSystray shows a tray on the calling goroutine, which has to be the process's
// first. build makes the first View, whose icon is first. live runs beside the tray;
// the tray ends when live or ctx ends.
func runSystray(ctx context.Context, first icon.Icon, build func(host), live func(clicks <-chan RowID)) (err error) {
	// Without a connection to the session bus, the end of systray is a panic
	// (v1.12.2, systray_unix.go nativeEnd; drop this when #121 is tagged).
	defer func() {
		if recover() != nil {
			err = ErrBusGone
		}
	}()
	h := &systrayHost{}
	defer h.icons.close() // after the last icon was set
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A title that is set before the connection becomes the item's name.
	systray.SetTitle(desktop.AppName)
	h.icons.before(first)
	// Once live runs, its end ends the tray; until then, the end of ctx does.
	var alive atomic.Bool
	defer context.AfterFunc(ctx, func() {
		if !alive.Load() {
			systray.Quit()
		}
	})()
	// Menus are not served until the ready function has returned.
	systray.Run(func() {
		alive.Store(true)
		h.addRows()
		build(h)
		// Holds one click per row: a second click on the same row while the first one
		// waits means the same.
		clicks := make(chan RowID, len(actions))
		for _, id := range actions {
			running.Go(func() { forward(ctx, h.items[id].ClickedCh, id, clicks) })
		}
		running.Go(func() {
			onActivate(ctx, func() {
				select {
				case clicks <- RowHistory:
				default: // one is waiting already
				}
			})
		})
		running.Go(func() {
			defer systray.Quit()
			live(clicks)
		})
	}, nil)
	return nil
}

// forward passes on the clicks of one row. systray drops a click if no receiver is
// waiting, so each row has a goroutine that only waits. It ends with ctx, or when
// systray closes the row's channel.
func forward(ctx context.Context, clicked <-chan struct{}, id RowID, clicks chan<- RowID) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-clicked:
			if !open {
				return
			}
		}
		select {
		case clicks <- id:
		case <-ctx.Done():
			return
		}
	}
}

func (h *systrayHost) SetIcon(i icon.Icon)           { h.icons.set(i) }
func (h *systrayHost) SetTitle(text string)          { setTitle(text) }
func (h *systrayHost) SetTooltip(text string)        { h.icons.tip(text) }
func (h *systrayHost) SetLabel(r RowID, text string) { h.items[r].SetTitle(escapeLabel(text)) }

func (h *systrayHost) SetFaint(r RowID, faint bool) {
	if faint {
		h.items[r].Disable()
	} else {
		h.items[r].Enable()
	}
}

func (h *systrayHost) SetChecked(r RowID, checked bool) {
	if checked {
		h.items[r].Check()
	} else {
		h.items[r].Uncheck()
	}
}

func (h *systrayHost) SetVisible(r RowID, visible bool) {
	if visible {
		h.items[r].Show()
	} else {
		h.items[r].Hide()
	}
}

// addRows makes all rows, hidden.
func (h *systrayHost) addRows() {
	for i := range h.items {
		id := RowID(i)
		if slices.Contains(separators[:], id) {
			systray.AddSeparator()
		}
		if id.checkable() {
			h.items[id] = systray.AddMenuItemCheckbox("", "", false)
		} else {
			h.items[id] = systray.AddMenuItem("", "")
		}
		h.items[id].Hide()
	}
}
