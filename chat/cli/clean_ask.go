package cli

import (
	"bufio"
	"strings"

	"github.com/spf13/cobra"

	"windsock/probe/say"
)

// canAsk reports whether a person sees the question, and can answer it.
func (c *cleanCommand) canAsk(cmd *cobra.Command) bool {
	return c.Terminal(cmd.InOrStdin()) && c.Terminal(cmd.ErrOrStderr())
}

// ask asks on the terminal, whatever becomes of the output. Only y and yes are a
// yes.
func (c *cleanCommand) ask(cmd *cobra.Command, question string) (bool, error) {
	if err := c.write(cmd.ErrOrStderr(), question+" [y/N] "); err != nil {
		return false, err
	}
	answers := make(chan string, 1)
	// A read of a terminal cannot be called off. It ends with an answer, or with the
	// process, which an interrupted command is about to end.
	go func() {
		line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n') // what ends without an answer is a no
		answers <- line
	}()
	select {
	case <-cmd.Context().Done():
		_ = c.write(cmd.ErrOrStderr(), "\nNothing was changed.\n")
		return false, say.Told(exitInterrupted)
	case line := <-answers:
		if !strings.HasSuffix(line, "\n") {
			_ = c.write(cmd.ErrOrStderr(), "\n") // nobody has ended the line
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes", nil
	}
}
