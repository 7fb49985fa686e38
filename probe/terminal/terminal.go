// Package terminal knows where a person reads: whether a stream is a terminal, how
// wide it is, and what of a text from outside can be shown in a line of one. It
// knows nothing of the project, and lies here because every room may know probe's.
package terminal

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Is reports whether a person sits at a stream.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size is how many columns and lines a stream's terminal has, zeros where it does
// not say or where there is none.
func Size(stream any) (columns, lines int) {
	if f, ok := stream.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 0, 0
}

// Width is how many columns a text for a stream may have: what COLUMNS says in the
// environment that lookup knows, else what the terminal has. It is 0 where neither
// says.
func Width(stream any, lookup func(name string) (value string, ok bool)) int {
	text, _ := lookup("COLUMNS")
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 {
		return n
	}
	columns, _ := Size(stream)
	return columns
}
