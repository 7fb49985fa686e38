package tray

// fit adds the notes, and hides rows until everything fits in mostRows: first those
// whose content is also in the settings or the tooltip, then the ends of the notes,
// then those of the figures. The rows with other actions stay, above all Quit.
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

// shed hides row after row until so many more fit.
func (v View) shed(rows []RowID, more int) View {
	for _, id := range rows {
		if v.visible()+more <= mostRows {
			break
		}
		v.Rows[id] = Row{}
	}
	return v
}

// visible is the number of visible rows.
func (v View) visible() int {
	n := 0
	for _, row := range v.Rows {
		if row.Label != "" {
			n++
		}
	}
	return n
}
