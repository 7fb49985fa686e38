package cli

import "windsock/probe/terminal"

// noWidth is what nothing is wider than.
const noWidth = 1 << 20

// widthOf is how wide an output is: COLUMNS wins, and what is no terminal has
// noWidth.
func widthOf(out any, isTerminal func(any) bool, lookup func(string) (string, bool)) int {
	if n := terminal.Width(out, lookup); n > 0 {
		return n
	}
	if isTerminal(out) {
		return 80
	}
	return noWidth
}

// sizeOf is a terminal's size, 80 by 24 where it does not say.
func sizeOf(out any) (width, height int) {
	if w, h := terminal.Size(out); w > 0 {
		return w, h
	}
	return 80, 24
}
