// Package terminal knows where a person reads: whether a stream is a terminal, how wide
// it is, its colours, what of a text from outside fits into a line of one, columns, and
// a progress bar. It knows nothing of the project, and is below probe because every
// package may import probe.
package terminal

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size is the number of columns and lines of a stream's terminal; zeros if there is
// none or it does not say.
func Size(stream any) (columns, lines int) {
	if f, ok := stream.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 0, 0
}

// Width is the number of columns for text on a stream: COLUMNS of the environment that
// lookup reads, else the terminal's width, else 0.
func Width(stream any, lookup func(name string) (value string, ok bool)) int {
	text, _ := lookup("COLUMNS")
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 {
		return n
	}
	columns, _ := Size(stream)
	return columns
}
