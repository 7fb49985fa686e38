package tray

import (
	"slices"
	"strconv"
	"strings"
)

// menu are the rows before they are fitted, from top to bottom.
type menu struct {
	lines []line
	// plans is how many plans have no rows at all; window says that there is a window,
	// which shows what is hidden here.
	plans  int
	window bool
}

// line is a row of a menu.
type line struct {
	Row

	// at is the row's place. Lines with the same place follow each other from there.
	at   RowID
	shed shed
	// meter says that it is a meter's figure.
	meter bool
	// folded is the label while the line below is hidden; "" for the same.
	folded string
}

// shed says when a line is hidden in a menu that is too long: the lowest first, and of
// equals the lowest line. What is never hidden: the headings, why a plan has no figures,
// the figure of the leading plan that binds, and the rows that do what no other row or
// view does. That is 17 rows at most.
type shed int

const (
	shedNever shed = iota
	shedLogin      // it is in the settings
	// With several plans.
	shedConsent     // it is in the settings
	shedAPI         // it is there, too
	shedOtherReset  // of a plan that does not lead, whose figure lasts
	shedDiagnostics // `windsock doctor`
	shedManage
	shedPace // of a plan that does not lead, and why it is old
	// With one plan, too.
	shedReset // of the leading plan, whose figure lasts
	// The rest makes room for one note only.
	shedLeadPace
	shedFigure     // of a plan that does not lead; two stay
	shedSecond     // one of the two; the one that binds stays
	shedBinding    // that one
	shedLeadFigure // and why they are old
	shedEnd
)

// spare is when rows with a place of their own are hidden.
var spare = map[RowID]shed{
	RowLogin: shedLogin, RowConsent: shedConsent, RowAPI: shedAPI, RowDiagnostics: shedDiagnostics, RowManage: shedManage,
}

// add adds a row, if it has a label.
func (m *menu) add(at RowID, row Row, shed shed) {
	if row.Label != "" {
		m.lines = append(m.lines, line{Row: row, at: at, shed: shed})
	}
}

// fit hides lines until everything fits in mostRows, and adds the notes.
func (m *menu) fit(notes []string) (rows [rowCount]Row) {
	for rank := shedLogin; rank < shedEnd; rank++ {
		room := len(notes)
		if rank > shedReset {
			room = min(room, 1)
		}
		for i, l := range slices.Backward(m.lines) {
			if m.visible()+room <= mostRows {
				break
			}
			if l.shed == rank {
				m.hide(i)
			}
		}
	}
	next := map[RowID]RowID{}
	for _, l := range m.lines {
		if l.Label != "" {
			rows[l.at+next[l.at]] = l.Row
			next[l.at]++
		}
	}
	rows[rowMore].Label = m.more()
	for i, note := range bounded(notes, min(noteRows, mostRows-m.visible())) {
		rows[rowNote+RowID(i)].Label = note
	}
	return rows
}

func (m *menu) hide(i int) {
	m.lines[i].Label = ""
	if i > 0 && m.lines[i-1].folded != "" && m.lines[i-1].Label != "" {
		m.lines[i-1].Label = m.lines[i-1].folded
	}
}

// visible is the number of rows without notes.
func (m *menu) visible() int {
	n := 0
	for _, l := range m.lines {
		if l.Label != "" {
			n++
		}
	}
	if m.more() != "" {
		n++
	}
	return n
}

// more says what has no row.
func (m *menu) more() string {
	var parts []string
	count := func(n int, what string) {
		if n > 1 {
			what += "s"
		}
		if n > 0 {
			parts = append(parts, strconv.Itoa(n)+" more "+what)
		}
	}
	meters := 0
	for _, l := range m.lines {
		if l.meter && l.Label == "" {
			meters++
		}
	}
	count(meters, "meter")
	count(m.plans, "plan")
	text := strings.Join(parts, " and ")
	switch {
	case text == "":
		return ""
	case m.window:
		return "… " + text + " in Usage history"
	default:
		return "… " + text
	}
}
