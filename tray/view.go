package tray

import (
	"fmt"
	"strings"

	"windsock/tray/icon"
)

// RowID names a row of the menu. All rows exist all the time, in this order; a
// View says which are to be seen.
type RowID int

// The rows. A meter has a figure, and below it whether it lasts, and its reset.
const (
	RowDemo        RowID = 0
	RowHeading     RowID = 1 // editor, plan, age
	RowStatus      RowID = 2 // first of statusRows
	rowFigure            = RowStatus + statusRows
	rowNote              = rowFigure + meterRows*rowsEach
	RowMute              = rowNote + noteRows
	RowPrompt            = RowMute + 1
	RowHistory           = RowPrompt + 1
	RowClean             = RowPrompt + 2
	RowRefresh           = RowPrompt + 3
	RowManage            = RowRefresh + 1
	RowDiagnostics       = RowRefresh + 2
	RowSettings          = RowRefresh + 3
	RowAPI               = RowRefresh + 4
	RowLogin             = RowRefresh + 5
	RowQuit              = RowRefresh + 6
	rowCount             = RowRefresh + 7
)

const (
	// statusRows hold the sentence on why there are no fresh figures.
	statusRows = 4
	// meterRows is how many meters a plan can have, and rowsEach what one takes.
	meterRows = 7
	rowsEach  = 3
	// noteRows hold notices and problems.
	noteRows = 8
	// mostRows is how many rows are to be seen at once. GNOME cuts off what does not
	// fit its screen, and nothing scrolls: below a panel of 32 pixels, a row takes
	// 36 (Shell 43), a separator 13, the menu's own edges 20, so that 18 rows and the
	// separators end at 739 of the 768 pixels that a small laptop has.
	mostRows = 18
)

// separators stand before these rows. They can neither be hidden nor removed,
// so there is always something on both sides of one.
var separators = [...]RowID{RowPrompt, RowRefresh, RowQuit}

// actions are the rows that do something.
var actions = [...]RowID{
	RowMute, RowPrompt, RowHistory, RowClean,
	RowRefresh, RowManage, RowDiagnostics, RowSettings, RowAPI, RowLogin, RowQuit,
}

// checkable reports whether a row can have a check mark.
func (r RowID) checkable() bool {
	return r == RowLogin || r == RowAPI || r == RowMute
}

// Row is a row of the menu. The zero Row is not to be seen.
type Row struct {
	// Label is the text, as a person reads it; "" hides the row.
	Label string
	// Faint rows are shown as disabled ones are.
	Faint bool
	// Checked is of rows that are checkable.
	Checked bool
}

// View is all that there is to see. It is a value; nothing writes to one that
// was rendered. Two equal Views look the same.
type View struct {
	Icon icon.Icon
	// Title stands beside the icon where the system has room for it.
	Title string
	// Tooltip is one line, of at most tooltipMax UTF-16 units.
	Tooltip string
	Rows    [rowCount]Row
}

// String is the View as text: what golden files show.
func (v View) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "icon     %v\ntitle    %s\ntooltip  %s\n\n", v.Icon, v.Title, v.Tooltip)
	for id, row := range v.Rows {
		for _, before := range separators {
			if RowID(id) == before {
				b.WriteString("---\n")
			}
		}
		if row.Label == "" {
			continue
		}
		b.WriteString(row.Label)
		if row.Faint {
			b.WriteString("  [faint]")
		}
		if row.Checked {
			b.WriteString("  [x]")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
