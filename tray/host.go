package tray

import "windsock/tray/icon"

// host is a desktop that shows one icon with one menu. Its methods are called from one
// goroutine at a time. On macOS they block while the menu is open, so a caller must
// not hold a lock.
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

// apply pushes the differences between two Views.
//
// It pushes nothing to a row that stays hidden: on Windows any update to such a row
// shows it again (systray v1.12.2, addOrUpdateMenuItem). So it sets all of a row that
// becomes visible, and only hides a row that disappears.
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
