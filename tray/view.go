package tray

import (
	"fmt"
	"strings"

	"windsock/tray/icon"
)

// RowID names a row of the menu. All rows always exist, in this order; a View says
// which are visible.
type RowID int

// The rows. One plan alone has RowHeading. Of several, each has a heading with a check
// mark, which one alone must not have: some panels show a box for it. Its other rows
// are below.
const (
	RowDemo        RowID = 0
	RowHeading     RowID = 1 // editor, plan, age
	rowPlans       RowID = 2 // first of planRows for each of mostPlans
	rowMore              = rowPlans + mostPlans*planRows
	rowNote              = rowMore + 1 // first of noteRows
	RowMute              = rowNote + noteRows
	RowConsent           = RowMute + 1
	RowPrompt            = RowMute + 2
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
	// mostPlans is how many plans the menu shows; the window shows all.
	mostPlans = 4
	// planRows are a plan's heading and its other rows, which may fill the menu but for
	// two rows that are always there.
	planRows = 1 + mostRows - 2
	// noteRows hold notices and problems.
	noteRows = 8
	// mostRows is the maximum number of visible rows. GNOME cuts off what does not fit
	// its screen, and menus do not scroll. Below a panel of 32 pixels, a row takes 36
	// (Shell 43), a separator 13, and the menu's edges 20. So 18 rows and the
	// separators end at 739 of a small laptop's 768 pixels.
	mostRows = 18
)

// rowPlan is the heading of one of several plans; rowBody is the first row below it.
func rowPlan(i int) RowID { return rowPlans + RowID(i)*planRows }
func rowBody(i int) RowID { return rowPlan(i) + 1 }

// plan is which plan's heading the row is.
func (r RowID) plan() (i int, ok bool) {
	i = int(r-rowPlans) / planRows
	return i, r >= rowPlans && r < rowMore && r == rowPlan(i)
}

// separators stand before these rows. They can neither be hidden nor removed, so there
// are always rows on both sides of one.
var separators = [...]RowID{RowPrompt, RowRefresh, RowQuit}

// actions are the rows that do something.
var actions = [...]RowID{
	rowPlan(0), rowPlan(1), rowPlan(2), rowPlan(3),
	RowMute, RowConsent, RowPrompt, RowHistory, RowClean,
	RowRefresh, RowManage, RowDiagnostics, RowSettings, RowAPI, RowLogin, RowQuit,
}

// checkable reports whether a row can have a check mark.
func (r RowID) checkable() bool {
	_, heading := r.plan()
	return heading || r == RowLogin || r == RowAPI || r == RowMute
}

// Row is a row of the menu. The zero Row is hidden.
type Row struct {
	// Label is the text, as a person reads it; "" hides the row.
	Label string
	// Faint rows look disabled.
	Faint bool
	// Checked applies to checkable rows.
	Checked bool
}

// View is everything visible. It is a value, and never changes after render. Two equal
// Views look the same.
type View struct {
	Icon icon.Icon
	// Title stands beside the icon if the system has room for it.
	Title string
	// Tooltip is one line, of at most tooltipMax UTF-16 units.
	Tooltip string
	Rows    [rowCount]Row
}

// String is the View as text, for golden files.
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
