package cloud

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// Parts are the parts of `windsock cloud`.
type Parts struct {
	Choices Choices
	// Settings says why the person's settings cannot be read; nil if they can.
	Settings func() error
	// Ago words the time since something.
	Ago func(time.Duration) string
	Now func() time.Time

	terminal func(stream any) bool // reports whether a person sits at a stream
	width    func(stream any) int  // the number of columns of what is written to it
}

// NewCommand is `windsock cloud`.
func NewCommand(p Parts) *cobra.Command {
	p.terminal = terminal.Is
	p.width = func(stream any) int { return cmp.Or(terminal.Width(stream, os.LookupEnv), defaultWidth) }
	return newCommand(p)
}

func newCommand(p Parts) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cloud",
		Short: "List what may be asked over the internet, allow it, deny it",
		Long: `List what Windsock could ask over the internet for figures without an editor:
with which sign-in, at which host, and whether that is allowed. As delivered
nothing is, and Windsock talks to this computer alone.

The list opens no sign-in and asks nothing.`,
		Example: `  windsock cloud
  windsock cloud allow cursor
  windsock cloud deny cursor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.Settings(); err != nil {
				return err
			}
			all := p.Choices.List()
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), all)
			}
			return write(cmd.OutOrStdout(), p.text(all, p.width(cmd.OutOrStdout())))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.AddCommand(p.newAllow(), p.newDeny())
	return cmd
}

func (p Parts) newAllow() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "allow NAME",
		Short: "Allow Windsock to ask with a sign-in, at its host",
		Long: `Allow Windsock to ask with a sign-in, at its host, after saying what that means
and asking. Where the host stands in the sign-in, that is opened for it. A host
that Windsock does not know has to be typed: NAME@HOST.

Without a terminal to ask on, it takes --yes.`,
		Example: `  windsock cloud allow cursor
  windsock cloud allow devin-cli@portal.example.com`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, host, err := sourceIn(cmd, args)
			if err != nil {
				return err
			}
			return p.allow(cmd, name, host, yes)
		},
		ValidArgsFunction: p.offerNames(func(l Listed) bool { return !l.Allowed && l.There() }),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (p Parts) newDeny() *cobra.Command {
	return &cobra.Command{
		Use:   "deny NAME",
		Short: "Deny what was allowed, and forget what came of it",
		Long: `Deny what was allowed. From then on the sign-in is not opened for it and nothing
is sent; an app that runs stops, too. The last answer is forgotten; the history
of the figures stays.`,
		Example: `  windsock cloud deny cursor`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := sourceIn(cmd, args)
			if err != nil {
				return err
			}
			return p.deny(cmd, name)
		},
		ValidArgsFunction: p.offerNames(func(l Listed) bool { return l.Allowed }),
	}
}

// sourceIn reads the arguments: NAME or NAME@HOST.
func sourceIn(cmd *cobra.Command, args []string) (name, host string, err error) {
	if len(args) != 1 {
		return "", "", say.Usage("cloud %s takes the name of one sign-in; `windsock cloud` lists them", cmd.Name())
	}
	name, host, typed := strings.Cut(args[0], "@")
	if typed && host == "" {
		return "", "", say.Usage("there is no host behind the @ of %s", args[0])
	}
	return name, host, nil
}

// offerNames completes a name.
func (p Parts) offerNames(fits func(Listed) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		for _, l := range p.Choices.List() {
			if len(args) == 0 && fits(l) {
				names = append(names, cobra.CompletionWithDesc(l.Name, l.App))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

const (
	unchanged  = "Nothing was changed.\n"
	allowedYet = "%s may be asked at %s already. Nothing was changed.\n"
	allowedNow = "%[1]s may be asked at %[2]s from now on. `windsock cloud deny %[1]s` ends that.\n"
	deniedNow  = "%s is not asked any more, and its last answer is forgotten.\n"
	deniedYet  = "%s was not allowed. Nothing is asked.\n"
)

func (p Parts) allow(cmd *cobra.Command, name, typed string, yes bool) error {
	if err := p.Settings(); err != nil {
		return err
	}
	if _, err := p.Choices.find(name); err != nil {
		return err
	}
	if !yes && !p.canAsk(cmd) {
		return say.Usage("There is no terminal to ask on. Add --yes to go on without.")
	}
	offer, err := p.Choices.Offer(cmd.Context(), name, typed)
	if err != nil {
		return err
	}
	if host, ok := p.Choices.Config().Allowed(name); ok && host == offer.Host {
		return write(cmd.OutOrStdout(), fmt.Sprintf(allowedYet, name, host))
	}
	if err := write(cmd.ErrOrStderr(), paragraphs(offer.Wording, p.width(cmd.ErrOrStderr()))); err != nil {
		return err
	}
	if !yes {
		yes, err = terminal.Confirm(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), "Allow this, at "+offer.Host+"?")
		switch {
		case err != nil && cmd.Context().Err() != nil:
			_ = write(cmd.ErrOrStderr(), unchanged) // a person who has left does not read it
			return say.Told(say.ExitInterrupted)
		case err != nil:
			return err
		case !yes:
			return write(cmd.OutOrStdout(), unchanged)
		}
	}
	if err := p.Choices.Allow(offer); err != nil {
		return err
	}
	return write(cmd.OutOrStdout(), fmt.Sprintf(allowedNow, name, offer.Host))
}

// canAsk reports whether a person sees the question and can answer it.
func (p Parts) canAsk(cmd *cobra.Command) bool {
	return p.terminal(cmd.InOrStdin()) && p.terminal(cmd.ErrOrStderr())
}

func (p Parts) deny(cmd *cobra.Command, name string) error {
	if err := p.Settings(); err != nil {
		return err
	}
	was, err := p.Choices.Deny(name)
	switch {
	case err != nil:
		return err
	case !was:
		return write(cmd.OutOrStdout(), fmt.Sprintf(deniedYet, name))
	}
	return write(cmd.OutOrStdout(), fmt.Sprintf(deniedNow, name))
}

// paragraphs wraps each, with an empty line behind it.
func paragraphs(all []string, width int) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(ansi.Wrap(p, width, "") + "\n\n")
	}
	return b.String()
}

func write(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
