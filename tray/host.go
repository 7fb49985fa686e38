package tray

import "windsock/tray/icon"

// host is a desktop that shows one icon with one menu. Its methods are called
// from one goroutine at a time; on macOS they wait while the menu is open, so
// a caller may hold no lock.
type host interface {
	SetIcon(i icon.Icon)
	SetTitle(text string)
	SetTooltip(text string)
	SetLabel(r RowID, text string)
	SetFaint(r RowID, faint bool)
	SetChecked(r RowID, checked bool)
	// SetVisible shows or hides a row. All rows are hidden at first.
	SetVisible(r RowID, visible bool)
}

// apply pushes what differs between two Views.
//
// Nothing is pushed to a row that stays hidden: on Windows any update to one
// shows it again (systray v1.12.2, addOrUpdateMenuItem). So a row that comes
// into sight is set anew in all that it has, and a row that goes is hidden and
// no more.
func apply(h host, prev, next View) {
	if prev.Icon != next.Icon {
		h.SetIcon(next.Icon)
	}
	if prev.Title != next.Title {
		h.SetTitle(next.Title)
	}
	if prev.Tooltip != next.Tooltip {
		h.SetTooltip(next.Tooltip)
	}
	for i := range next.Rows {
		applyRow(h, RowID(i), prev.Rows[i], next.Rows[i])
	}
}

func applyRow(h host, id RowID, prev, next Row) {
	was, is := prev.Label != "", next.Label != ""
	if !is {
		if was {
			h.SetVisible(id, false)
		}
		return
	}
	if !was || prev.Label != next.Label {
		h.SetLabel(id, next.Label)
	}
	if !was || prev.Faint != next.Faint {
		h.SetFaint(id, next.Faint)
	}
	if !was || prev.Checked != next.Checked {
		h.SetChecked(id, next.Checked)
	}
	if !was {
		h.SetVisible(id, true)
	}
}
