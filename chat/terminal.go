package chat

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// isTerminalStream reports whether a person sits at a stream.
func isTerminalStream(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// noWidth is what nothing is wider than.
const noWidth = 1 << 20

// widthOf is how wide an output is: COLUMNS wins, and what is no terminal has
// noWidth.
func widthOf(out any, terminal func(any) bool, lookup func(string) (string, bool)) int {
	columns, _ := lookup("COLUMNS")
	if n, err := strconv.Atoi(strings.TrimSpace(columns)); err == nil && n > 0 {
		return n
	}
	if !terminal(out) {
		return noWidth
	}
	width, _ := sizeOf(out)
	return width
}

// sizeOf is a terminal's size, 80 by 24 where it does not say.
func sizeOf(out any) (width, height int) {
	if f, ok := out.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}
