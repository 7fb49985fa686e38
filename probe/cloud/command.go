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
		Long: `List what Windsock could ask over the internet for figures without an editor: with
which sign-in, at which host, and whether you have allowed that. As delivered nothing
is allowed, and Windsock talks to this computer alone. This list opens no sign-in and
asks nothing.

Windsurf's services are asked only while no editor answers, every 10 minutes. Cursor's
are asked every 15 minutes, since Cursor has no server on this computer. Commands and
status bars share the last answer, and ask anew when it is older than 5 minutes. After a
failure the pauses grow. If a service says when it may be asked again, Windsock waits.

  windsurf, windsurf-next, …   state.vscdb of the editor, to the host that it names, or
                               server.codeium.com; asked for GetPlanStatus, or else
                               GetUserStatus
  devin-cli                    ~/.local/share/devin/credentials.toml, to the host that it
                               names, or server.codeium.com; asked for the same
  cursor                       Cursor's state.vscdb, or auth.json of its command line, to
                               api2.cursor.sh; asked for GetCurrentPeriodUsage, and once
                               a day for GetPlanInfo, GetHardLimit and /auth/usage (each
                               time for plans that count requests or money); of a seat
                               in a team also for GetTeams, which says whose seat it is

Old figures stay in sight, marked as old. The last answer, reduced to its figures, is in
~/.local/state/windsock/cloud-NAME.json, for you alone. Keychains, sign-ins of browsers
and encrypted ones are left alone, and no token is renewed. HTTPS_PROXY names a proxy.
windsock doctor tells the host, the proxy, the form and age of the sign-in, and when the
last answer came or why none did.

In the settings file this is allow = ["cursor@api2.cursor.sh"] under [cloud]. A sign-in
that names another host later is not used until you allow that host.

--json writes {"schema": 1, "sources": [...]}. Each has name, host (null if it is in a
sign-in that is not allowed), file, allowed, and state: off, not_asked, ok, or why there
was no answer (no_credential, expired, host_not_allowed, rejected, refused, wrong_region,
unsupported, rate_limited, offline, tls, server_error, bad_response).`,
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
		Long: `Allow Windsock to ask with a sign-in, at its host. You are told what that means first,
and asked. If the host is in the sign-in, Windsock opens it to show you the host. A host
that Windsock does not know as the maker's has to be typed: NAME@HOST.

Without a terminal to ask on, --yes is needed.`,
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
		Short: "Deny what was allowed, and forget the last answer",
		Long: `Deny what was allowed. From then on Windsock does not open the sign-in for this, and
sends nothing; a running app stops, too. The last answer is removed. The history of the
figures stays.`,
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
		return say.Usage("There is no terminal to ask you on. Add --yes to go on without asking.")
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
