package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Bar draws the progress of something in one line of a terminal. A nil Bar draws nothing.
type Bar struct {
	out     io.Writer
	label   string
	width   int
	percent int // as drawn; not drawn twice
	shown   bool
}

// NewBar is a Bar on a terminal of so many columns, behind a label.
func NewBar(out io.Writer, label string, width int) *Bar {
	return &Bar{out: out, label: label, width: width}
}

const (
	maxBar = 40
	minBar = 5
)

// Progress draws how much is done.
func (b *Bar) Progress(done, total int) {
	percent := 100 * done / max(total, 1)
	if b == nil || b.shown && percent == b.percent {
		return
	}
	b.shown, b.percent = true, percent
	_, _ = io.WriteString(b.out, "\r"+b.line(done, total)+ansi.EraseLineRight) // the work goes on without
}

// Clear erases the line.
func (b *Bar) Clear() {
	if b != nil && b.shown {
		_, _ = io.WriteString(b.out, "\r"+ansi.EraseLineRight)
		b.shown = false
	}
}

func (b *Bar) line(done, total int) string {
	numbers := fmt.Sprintf(" %d of %d", done, total)
	room := min(maxBar, b.width-1-ansi.StringWidth(b.label)-1-ansi.StringWidth(numbers))
	if room < minBar {
		return ansi.Truncate(b.label+numbers, max(b.width-1, 0), "")
	}
	filled := room * done / max(total, 1)
	return b.label + " " +
		ansi.NewStyle().ForegroundColor(ansi.Cyan).Styled(strings.Repeat("█", filled)) +
		ansi.NewStyle().Faint().Styled(strings.Repeat("░", room-filled)) + numbers
}
