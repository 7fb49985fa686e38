package tray

// fit adds the notes, and takes out what has no place beside them in mostRows: first
// what is to be had elsewhere, in the settings and the tooltip, then the ends of the
// notes, then of the figures. What else a person can click on stays, Quit above all.
func (v View) fit(notes []string) View {
	spare, below := []RowID{RowLogin}, []RowID{}
	for id := rowNote - 1; id > rowFigure; id-- {
		if v.Rows[id].Faint {
			spare = append(spare, id)
		}
		below = append(below, id)
	}
	v = v.shed(spare, len(notes)).shed(below, min(len(notes), 1))
	fill(v.Rows[rowNote:rowNote+RowID(min(noteRows, mostRows-v.visible()))], notes)
	return v
}

// shed hides one row after the other until there is room for so many more.
func (v View) shed(rows []RowID, more int) View {
	for _, id := range rows {
		if v.visible()+more <= mostRows {
			break
		}
		v.Rows[id] = Row{}
	}
	return v
}

// visible is how many rows are to be seen.
func (v View) visible() int {
	n := 0
	for _, row := range v.Rows {
		if row.Label != "" {
			n++
		}
	}
	return n
}
