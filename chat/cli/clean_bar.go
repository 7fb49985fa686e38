package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// cleanBar draws how far something has come, in one line that it draws over.
type cleanBar struct {
	out   io.Writer
	label string
	width int
	// drawn is the percentage on the screen, which is not drawn twice.
	drawn int
	shown bool
}

const (
	maxBar = 40
	minBar = 5
)

func (b *cleanBar) progress(done, total int) {
	percent := 100 * done / max(total, 1)
	if b.shown && percent == b.drawn {
		return
	}
	b.shown, b.drawn = true, percent
	_, _ = io.WriteString(b.out, "\r"+b.line(done, total)+ansi.EraseLineRight) // a closed terminal cannot be told
}

func (b *cleanBar) line(done, total int) string {
	numbers := fmt.Sprintf(" %d of %d", done, total)
	room := min(maxBar, b.width-1-lipgloss.Width(b.label)-1-lipgloss.Width(numbers))
	if room < minBar {
		return ansi.Truncate(b.label+numbers, max(b.width-1, 0), "")
	}
	filled := room * done / max(total, 1)
	return b.label + " " +
		lipgloss.NewStyle().Foreground(lipgloss.Cyan).Render(strings.Repeat("█", filled)) +
		lipgloss.NewStyle().Faint(true).Render(strings.Repeat("░", room-filled)) + numbers
}

// clear takes the line away.
func (b *cleanBar) clear() {
	if b.shown {
		_, _ = io.WriteString(b.out, "\r"+ansi.EraseLineRight)
		b.shown = false
	}
}
