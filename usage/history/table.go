package history

import (
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
	if text, ok := beside(rows, width); ok {
		return text
	}
	return below(rows, width)
}

func beside(rows [][]string, width int) (string, bool) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	total := -2
	for _, w := range widths {
		total += w + 2
	}
	var text strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				text.WriteString(cell + pad)
			} else {
				text.WriteString("  " + pad + cell)
			}
		}
		text.WriteByte('\n')
	}
	return text.String(), total <= width
}

func below(rows [][]string, width int) string {
	var text strings.Builder
	for _, row := range rows[1:] {
		text.WriteString(row[0] + "\n")
		for i, cell := range row[1:] {
			if cell != unseen {
				text.WriteString(rows[0][i+1] + ": " + strings.ReplaceAll(cell, " ", noBreak) + noBreak + "used\n")
			}
		}
	}
	// A truncated figure would be a wrong one.
	return lineBreaks(text.String(), width)
}

// lineBreaks breaks lines at blanks, and anywhere in a word that is too long.
// (ansi.Wrap v0.11.8 does not break the text after a hyphen.)
func lineBreaks(text string, width int) string {
	wrapped := ansi.Hardwrap(ansi.Wrap(text, width, ""), width, true)
	return blanks.ReplaceAllString(strings.ReplaceAll(wrapped, noBreak, " "), "$1")
}

const noBreak = "\u00a0"

var blanks = regexp.MustCompile(` +(\n|$)`)
