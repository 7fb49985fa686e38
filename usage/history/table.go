package history

import (
	"slices"
	"strings"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// unseen stands for an unknown figure.
const unseen = "–"

// table shows the use of each day in columns, or one below the other where columns do
// not fit. The days are in order.
func table(days []Day, width int) string {
	var meters []usage.MeterID
	for _, d := range days {
		if !slices.Contains(meters, d.Meter) {
			meters = append(meters, d.Meter)
		}
	}
	slices.SortFunc(meters, byMeter)
	rows := [][]string{{"Used on"}}
	for _, m := range meters {
		rows[0] = append(rows[0], m.Info().Label)
	}
	for _, d := range days {
		row := rows[len(rows)-1]
		if row[0] != d.Date {
			row = append([]string{d.Date}, slices.Repeat([]string{unseen}, len(meters))...)
			rows = append(rows, row)
		}
		row[1+slices.Index(meters, d.Meter)] = words.Short(d.Used, d.Unit)
	}
	if text, ok := terminal.Columns(rows, width); ok {
		return text
	}
	return below(rows, width)
}

func below(rows [][]string, width int) string {
	var text strings.Builder
	for _, row := range rows[1:] {
		text.WriteString(row[0] + "\n")
		for i, cell := range row[1:] {
			if cell != unseen {
				text.WriteString(rows[0][i+1] + ": " + strings.ReplaceAll(cell, " ", terminal.NoBreak) + terminal.NoBreak + "used\n")
			}
		}
	}
	// A truncated figure would be a wrong one.
	return terminal.Wrap(text.String(), width)
}
