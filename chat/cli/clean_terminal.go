package cli

import (
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

// newBar draws on a terminal only.
func (c *cleanCommand) newBar(cmd *cobra.Command, label string) *terminal.Bar {
	out := cmd.ErrOrStderr()
	if !c.terminal(out) {
		return nil
	}
	return terminal.NewBar(terminal.Colours(out, c.environ), label, c.width(out))
}
