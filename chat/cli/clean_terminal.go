package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// canAsk reports whether a person sees the question and can answer it.
func (c *cleanCommand) canAsk(cmd *cobra.Command) bool {
	return c.terminal(cmd.InOrStdin()) && c.terminal(cmd.ErrOrStderr())
}

// ask asks a person, wherever the output goes. With --yes it does not ask.
func (c *cleanCommand) ask(cmd *cobra.Command, question string) (bool, error) {
	if c.yes {
		return true, nil
	}
	yes, err := terminal.Confirm(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), question)
	if err != nil && cmd.Context().Err() != nil {
		_ = writeText(cmd.ErrOrStderr(), unchanged)
		return false, say.Told(say.ExitInterrupted)
	}
	return yes, err
}

// bar draws the progress in one line of a terminal.
type bar struct {
	out     io.Writer
	label   string
	width   int
	percent int // as drawn; not drawn twice
	shown   bool
}

// newBar draws on a terminal only.
func (c *cleanCommand) newBar(cmd *cobra.Command, label string) *bar {
	out := cmd.ErrOrStderr()
	if !c.terminal(out) {
		return &bar{out: io.Discard}
	}
	return &bar{out: c.colours(out), label: label, width: c.width(out)}
}

const (
	maxBar = 40
	minBar = 5
)

func (b *bar) progress(done, total int) {
	percent := 100 * done / max(total, 1)
	if b.shown && percent == b.percent {
		return
	}
	b.shown, b.percent = true, percent
	_, _ = io.WriteString(b.out, "\r"+b.line(done, total)+ansi.EraseLineRight) // the work goes on without
}

func (b *bar) line(done, total int) string {
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

// clear erases the line.
func (b *bar) clear() {
	if b.shown {
		_, _ = io.WriteString(b.out, "\r"+ansi.EraseLineRight)
		b.shown = false
	}
}
