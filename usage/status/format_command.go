package status

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// addFormatFlags adds --format, and --json, which is short for one of its values.
func (c *statusCommand) addFormatFlags(cmd *cobra.Command) {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	cmd.Flags().StringVar((*string)(&c.format), "format", string(FormatText), "write the figures as `FORM`: "+strings.Join(names, ", "))
	cmd.Flags().BoolVar(&c.json, "json", false, "write JSON, schema 2; the same as --format json")
	// It fails only for a missing flag, and this one was just added.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// checkFormat decides which format is meant.
func (c *statusCommand) checkFormat(changed func(flag string) bool) error {
	switch {
	case !slices.Contains(formats, c.format):
		return say.Usage("--format takes text, json, waybar, xbar, tmux or prometheus.")
	case c.json && changed("format") && c.format != FormatJSON:
		return say.Usage("--json means --format json. Leave out --json or --format %s.", c.format)
	case c.watch && !c.format.follows():
		return say.Usage("--watch keeps writing, which no reader of --format %s expects. Take text, json or waybar.", c.format)
	case c.json:
		c.format = FormatJSON
	}
	return nil
}

// write writes plans in any format, or why there are none.
func (c *statusCommand) write(out io.Writer, all poll.Plans) error {
	switch c.format {
	case FormatText:
		return c.writeText(out, all)
	case FormatJSON:
		return terminal.WriteJSON(out, PlansDocument(all))
	default:
		plain, _ := c.lookup("NO_COLOR")
		text := c.format.write(all, c.words(), plain == "")
		if c.output != "" {
			return c.writeOutput(text)
		}
		_, err := io.WriteString(out, text)
		return err
	}
}

func (c *statusCommand) writeText(out io.Writer, all poll.Plans) error {
	_, err := io.WriteString(terminal.Colours(out, c.environ), textOf(all, c.textOptions(out)))
	return err
}

func (c *statusCommand) words() words.Words { return c.config.Words(c.location, c.lookup) }

func (c *statusCommand) textOptions(out io.Writer) TextOptions {
	return TextOptions{
		Words:  c.words(),
		Width:  cmp.Or(terminal.Width(out, c.lookup), 80),
		Colour: true,
	}
}
