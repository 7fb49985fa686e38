package cli

import (
	"fmt"
	"io"
	"os"

	"windsock/probe/terminal"
)

// console is the part of the process that commands need to write to a person.
type console struct {
	terminal func(stream any) bool // reports whether a person sits at a stream
	lookup   func(name string) (value string, ok bool)
	environ  []string
}

func newConsole() console { return console{terminal.Is, os.LookupEnv, os.Environ()} }

// noLimit is wider than any text.
const noLimit = 1 << 20

// width is the width of an output: COLUMNS, else the terminal's width. Files and pipes
// have noLimit.
func (c console) width(out any) int {
	switch n := terminal.Width(out, c.lookup); {
	case n > 0:
		return n
	case c.terminal(out):
		return 80
	default:
		return noLimit
	}
}

// writeJSON writes a document in the form of the commands' --json.
func writeJSON(out io.Writer, document any) error {
	if err := terminal.WriteJSON(out, document); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

func writeText(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
