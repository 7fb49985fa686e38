package terminal

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Columns sets rows in columns, the first one on the left and the others, which have
// figures, on the right. fits is false if they are wider than width.
func Columns(rows [][]string, width int) (text string, fits bool) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	total := -2
	for _, w := range widths {
		total += w + 2
	}
	var lines strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if i == 0 {
				line = cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		lines.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return lines.String(), total <= width
}

// Wrap breaks lines at blanks, and anywhere in a word that is too long. A [NoBreak]
// becomes a blank at which no line is broken.
//
// (ansi.Wrap v0.11.8 does not break the text after a hyphen, and leaves a blank before
// one in a full line, which ansi.Hardwrap would put on a line of its own.)
func Wrap(text string, width int) string {
	wrapped := ansi.Hardwrap(blanks.ReplaceAllString(ansi.Wrap(text, width, ""), "$1"), width, true)
	return blanks.ReplaceAllString(strings.ReplaceAll(wrapped, NoBreak, " "), "$1")
}

// NoBreak is a blank at which [Wrap] breaks no line.
const NoBreak = "\u00a0"

var blanks = regexp.MustCompile(` +(\n|$)`)
