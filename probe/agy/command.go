package agy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// Parts are the parts of `windsock antigravity`.
type Parts struct {
	Dirs func() (Dirs, error)
	// Program is the absolute path of this program, which agy is to run; "" if it is not
	// known.
	Program string
	// Line words figures for a line of a terminal; "" for none. It gets what
	// [Dirs.StatusLine] returns.
	Line func(raw []byte, at time.Time) string
	Now  func() time.Time

	terminal func(stream any) bool // reports whether a person sits at a stream
}

// NewCommand is `windsock antigravity`.
func NewCommand(p Parts) *cobra.Command {
	p.terminal = terminal.Is
	return newCommand(p)
}

func newCommand(p Parts) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "antigravity",
		Short: "Get the figures of agy, Antigravity's command line",
		Long: `Get the figures of agy, Antigravity's command line. agy keeps the token of its server to
itself, so its figures come only from agy. There are two ways.

The status line: install makes Windsock the status line of agy. It adds the key
statusLine to ~/.gemini/antigravity-cli/settings.json, and keeps a copy of that file the
first time, as settings.json.windsock-backup. agy then runs Windsock at each change of
its state and shows its line. Windsock keeps the share left and the reset of each limit,
the plan's tier and the time. It drops the rest: e-mail address, directories, titles.
Figures come only while agy is in use.

agy has one status line, and Windsock never replaces another program's. To have both,
let agy run a script such as this one:

  #!/bin/sh
  payload=$(cat)
  printf '%s' "$payload" | windsock antigravity status-line >/dev/null
  printf '%s' "$payload" | YOUR-COMMAND

Asking agy: with ask_agy = true under [antigravity] in the settings, Windsock runs
"agy -p /usage" when nothing else has the figures. agy then signs in with its own login,
contacts Google, and may update itself. By what Google says, that uses no quota and
leaves no conversation. It is run about once in an interval of the settings (five
minutes at least), also after a failure, and windsock status waits up to a minute for it.
$ANTIGRAVITY_CLI_PATH may name the agy to run; windsock doctor says which one it is.

Neither way was tried with a real agy yet.`,
		Example: `  windsock antigravity install
  windsock antigravity uninstall`,
		Args:                  cobra.NoArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		DisableFlagsInUseLine: true,
	}
	install := &cobra.Command{
		Use:   "install",
		Short: "Make Windsock the status line of agy",
		Long: `Make Windsock the status line of agy. You are told what that means first, and asked. A
status line that is there is never replaced.

Without a terminal to ask on, --yes is needed.`,
		Args: cobra.NoArgs,
	}
	yes := install.Flags().BoolP("yes", "y", false, "do not ask")
	install.RunE = func(cmd *cobra.Command, _ []string) error { return p.install(cmd, *yes) }
	cmd.AddCommand(install, &cobra.Command{
		Use:   "uninstall",
		Short: "Take Windsock out of agy's settings, and remove its figures",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.uninstall(cmd) },
	}, &cobra.Command{
		Use:   "status-line",
		Short: "Keep the figures on the standard input, and show them; agy runs this",
		Long: `Keep the figures that agy writes to the standard input, and show them in one line. agy
runs this at each change of its state. Input that cannot be used is ignored, and the exit
code is always 0.`,
		Args: cobra.NoArgs,
		Run:  func(cmd *cobra.Command, _ []string) { p.statusLine(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()) },
	})
	return cmd
}

const (
	consent = `This adds Windsock as the status line to the settings of agy, Antigravity's
command line:

  file      ` + shownSettings + `
  key       statusLine
  command   %s

agy then runs Windsock at each change of its state, and hands it a description
of the session. Windsock keeps the share left and the reset of each limit, the
plan's tier and the time, on this computer. It drops the rest: your e-mail
address, directories, the conversation's title, the path of its transcript.
Figures come only while agy is in use.

"windsock antigravity uninstall" takes the line out again.%s

`
	copied = `
A copy of the settings stays beside them, as settings.json` + backupSuffix + `;
to have all as it was, move it back over settings.json.`
	installed   = "agy has the status line now. Figures come with its next change of state.\n"
	unchanged   = "Nothing was changed.\n"
	alreadyHas  = "agy has this status line already. Nothing was changed.\n"
	uninstalled = "Windsock's line is out of agy's settings, and the figures of agy are removed.\n"
	noLine      = "agy's settings have no line of Windsock. Figures of agy are removed.\n"
	othersLine  = "agy's status line is another program's; it was left as it is. If it calls Windsock, take that out of it by hand. The figures are removed.\n"
	chain       = `To have both, let agy's status line run a script such as this one:

  #!/bin/sh
  payload=$(cat)
  printf '%%s' "$payload" | %s >/dev/null
  printf '%%s' "$payload" | YOUR-COMMAND

`
)

func (p Parts) install(cmd *cobra.Command, yes bool) error {
	if !yes && !p.canAsk(cmd) {
		return say.Usage("There is no terminal to ask you on. Add --yes to go on without asking.")
	}
	dirs, err := p.Dirs()
	if err != nil {
		return err
	}
	line, err := dirs.Plan(p.Program)
	switch {
	case errors.Is(err, ErrOther):
		if err := write(cmd.OutOrStdout(), chain, line.Command); err != nil {
			return err
		}
		return ErrOther
	case err != nil:
		return err
	case line.There:
		return write(cmd.OutOrStdout(), alreadyHas)
	}
	about := ""
	if line.Copies {
		about = copied
	}
	if err := write(cmd.ErrOrStderr(), consent, line.Command, about); err != nil {
		return err
	}
	if !yes {
		yes, err = terminal.Confirm(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), "Add the line?")
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
	if err := dirs.Install(p.Program); err != nil {
		return err
	}
	return write(cmd.OutOrStdout(), installed)
}

// canAsk reports whether a person sees the question and can answer it.
func (p Parts) canAsk(cmd *cobra.Command) bool {
	return p.terminal(cmd.InOrStdin()) && p.terminal(cmd.ErrOrStderr())
}

func (p Parts) uninstall(cmd *cobra.Command) error {
	dirs, err := p.Dirs()
	if err != nil {
		return err
	}
	was, err := dirs.Uninstall(p.Program)
	switch {
	case errors.Is(err, ErrOther):
		return write(cmd.OutOrStdout(), othersLine)
	case err != nil:
		return err
	case !was:
		return write(cmd.OutOrStdout(), noLine)
	}
	return write(cmd.OutOrStdout(), uninstalled)
}

// statusLine keeps a payload's figures and shows them. Whatever goes wrong, agy shows no
// more than an empty line.
func (p Parts) statusLine(ctx context.Context, in io.Reader, out io.Writer) {
	payload := readPayload(ctx, in)
	dirs, _ := p.Dirs() // the state directory is known without a home
	now := p.Now()
	raw, _ := dirs.keep(payload, now) // without a file there is a line still
	if raw == nil {
		return
	}
	if line := terminal.Line(p.Line(raw, now)); line != "" {
		_ = write(out, "%s\n", line)
	}
}

func write(out io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(out, format, args...); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
