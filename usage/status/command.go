// Package status is the command `windsock status`, its JSON, and the formats in which
// it writes the figures for other programs.
package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/poll"
)

// exitUnder is the exit code for figures that are below --fail-under.
const exitUnder = 5

// senseless reports whether an error is one of the command line, such as an unknown
// editor, which a second try cannot fix.
func senseless(err error) bool { return say.Exit(err) == say.ExitUsage }

// Parts are the dependencies of `windsock status`.
type Parts struct {
	// Fetch asks for the plans.
	Fetch poll.Fetch
	// ProductOf is the product of an editor's short name, "" for an unknown one; nil
	// knows none.
	ProductOf func(variant string) usage.Product
	// Config reads the settings when the command runs with valid flags; nil stands for
	// DefaultConfig. A flag overrides its setting. An error ends the command, also with
	// --from.
	Config func() (Config, error)
	// Recall reads the editors' plan caches; nil reads none.
	Recall poll.Recall
	// Record stores figures that a server just gave; nil keeps no history.
	Record poll.Record
	// Salt and Runs are those of a [poll.Config].
	Salt func(context.Context) ([]byte, error)
	Runs func(pid int) bool
	// Lead returns the name of the plan that a person has chosen to lead, "" for none;
	// nil is none.
	Lead func() string
	// Offer reports whether figures may be had without an editor, if the person allows
	// it; nil is never. It is asked only when no editor runs.
	Offer func() bool
	// Now and Speed are the clock, as in a [poll.Config].
	Now   func() time.Time
	Speed float64
}

// statusCommand is `windsock status` with its flags.
type statusCommand struct {
	Parts

	lookup   func(string) (string, bool)
	environ  []string
	location *time.Location

	json      bool
	format    Format
	cached    bool
	from      string
	at        string
	product   string
	plan      string
	variant   string
	failUnder int
	watch     bool
	interval  time.Duration
	save      string
	output    string

	// answers are what was read, as it was sent.
	answers []answer

	config Config
}

// NewCommand is `windsock status`. An error with an empty text has been shown already.
func NewCommand(p Parts) *cobra.Command {
	if p.Now == nil {
		p.Now = time.Now
	}
	return newStatusCommand(&statusCommand{
		Parts: p, lookup: os.LookupEnv, environ: os.Environ(),
		location: time.Local, //nolint:gosmopolitan // a person reads the times in the zone of their machine
	})
}

func newStatusCommand(c *statusCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is left of your plans",
		Long: `Show what is left of your plans, as the language servers of the running editors say: all
variants of Windsurf, and Antigravity. If you have allowed it (windsock cloud), the
maker's own service is asked while no Windsurf runs, and Cursor's always.

Editors of one account share one plan; another account is another plan. --product, --plan
and --variant ask for less. The ID of a plan is its product, and if that has several
plans, a colon and the account, as in --json.

With --from, a saved answer is read instead, and --at sets the clock: together they show
what was shown at that time. --save keeps the answer for that, without anything personal
in it, so that you can put it into a bug report.

With --watch, the figures stay on the terminal and follow what changes, until Ctrl-C. In
a pipe, or with --json, each change is one line of JSON.

With --format, the figures are written for another program: Waybar, xbar or SwiftBar,
tmux, or Prometheus' node_exporter. "windsock help bars" has the recipes. Errors are then
written there, too, and the exit code stays the same. With --output, the file is replaced
as a whole, and everybody can read it: a collector runs as another user. If it cannot be
written, or the command line is wrong, the old file stays.

Without a flag, the variant, the interval, the clock and the leading plan are those of the
settings. "windsock help figures" says what the lines mean, and "windsock help scripts"
has the exit codes and the JSON.`,
		Example: `  windsock status
  windsock status --json | jq '.plans[0].binding'
  windsock status --fail-under 10
  windsock status --watch --interval 1m
  windsock status --plan windsurf --format tmux
  windsock status --save answer.json
  windsock status --from answer.json`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	c.addFormatFlags(cmd)
	flags.BoolVar(&c.cached, "cached", false, "if no editor runs, show what it has kept")
	flags.StringVar(&c.from, "from", "", "read a saved answer from `FILE` (- is standard input)")
	flags.StringVar(&c.at, "at", "", "show it as at `TIME` (RFC 3339)")
	flags.StringVar(&c.output, "output", "", "with --format prometheus, replace `FILE` as a whole")
	flags.StringVar(&c.save, "save", "", "keep the answer in `FILE` without anything personal (- is standard output)")
	c.addSelectFlags(cmd)
	flags.IntVar(&c.failUnder, "fail-under", 0, "exit with 5 when any limit of any plan has less than `N` per cent left")
	flags.BoolVar(&c.watch, "watch", false, "keep running, and show what changes")
	flags.DurationVar(&c.interval, "interval", poll.DefaultInterval, "with --watch, ask every `TIME`, 10s to 60m")
	return cmd
}

func (c *statusCommand) run(cmd *cobra.Command, _ []string) error {
	pinned, err := c.check(cmd)
	if err != nil {
		return err
	}
	if err := c.configure(cmd.Flags().Changed); err != nil {
		return err
	}
	if c.watch {
		return c.watching(cmd.Context(), cmd.OutOrStdout())
	}
	all, err := c.load(cmd, pinned)
	if err != nil {
		return err
	}
	err = failure(all)
	saved := c.keepAnswer(cmd, all, err)
	if err != nil {
		return errors.Join(c.unsaved(all, c.fail(cmd, all, err)), saved)
	}
	if err := c.write(c.figuresTo(cmd), all); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	if slices.ContainsFunc(all, func(s poll.State) bool { return !pinned.IsZero() && s.Snapshot.Cycle.Start.After(pinned) }) {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "windsock: The answer is of later than --at says: its cycle had not begun then.")
	}
	if saved != nil {
		return saved
	}
	if slices.ContainsFunc(all, c.isUnder) {
		return say.Told(exitUnder)
	}
	return nil
}

// isUnder reports whether a plan is below --fail-under.
func (c *statusCommand) isUnder(s poll.State) bool {
	lowest, ok := s.Snapshot.Lowest()
	return ok && lowest.RemainingPercent().Millionths() < int64(c.failUnder)*usage.One
}

// check rejects flags that make no sense, and returns the time of --at.
func (c *statusCommand) check(cmd *cobra.Command) (time.Time, error) {
	switch {
	case c.failUnder < 0 || c.failUnder > 100:
		return time.Time{}, say.Usage("--fail-under takes a percentage from 0 to 100.")
	case cmd.Flags().Changed("from") && c.cached:
		return time.Time{}, say.Usage("--from reads a saved answer. Leave out --cached.")
	case cmd.Flags().Changed("from") && c.from == "":
		return time.Time{}, say.Usage("--from takes a file, or - for standard input.")
	}
	if err := c.checkSelect(cmd.Flags().Changed); err != nil {
		return time.Time{}, err
	}
	if err := c.checkSave(cmd.Flags().Changed); err != nil {
		return time.Time{}, err
	}
	if err := c.checkWatch(cmd.Flags().Changed); err != nil {
		return time.Time{}, err
	}
	if err := c.checkFormat(cmd.Flags().Changed); err != nil {
		return time.Time{}, err
	}
	if err := c.checkOutput(cmd.Flags().Changed); err != nil {
		return time.Time{}, err
	}
	if !cmd.Flags().Changed("at") {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, c.at)
	if err != nil || at.Unix() < 0 || at.Unix() > usage.LastSecond {
		return time.Time{}, say.Usage("--at takes a time in RFC 3339, such as 2026-02-03T10:00:00Z.")
	}
	return at.UTC(), nil
}

// configure reads the settings; a given flag wins.
func (c *statusCommand) configure(changed func(flag string) bool) error {
	c.config = DefaultConfig()
	if c.Config != nil {
		var err error
		if c.config, err = c.Config(); err != nil {
			return err
		}
	}
	if !changed("variant") {
		if c.variant = c.config.Variant; !c.hasVariant() {
			c.variant = "" // the flag asks for another product
		}
	}
	if !changed("interval") {
		c.interval = c.config.Interval
	}
	return nil
}

// offered adds to the error of an editor that does not run that there is another way, for a
// person who reads it.
func (c *statusCommand) offered(err error, read bool) error {
	asksWindsurf := c.products() == nil || slices.Contains(c.products(), usage.Windsurf)
	if say.Code(err) != "not_running" || !read || !asksWindsurf || c.Offer == nil || !c.Offer() {
		return err
	}
	return &say.Error{
		Code: say.Code(err), Exit: say.Exit(err), Cause: err,
		What: say.Sentence(err, err.Error()) + "\nFor figures without a running editor, see `windsock cloud`.",
	}
}

// fail writes an error in place of the figures, if a program reads them. Otherwise main
// writes it, as it does for an invalid command line.
func (c *statusCommand) fail(cmd *cobra.Command, all poll.Plans, err error) error {
	switch {
	case errors.Is(err, context.Canceled) || senseless(err):
		return err
	case c.format == FormatText && !all.HasFigures():
		return c.offered(err, terminal.Is(cmd.ErrOrStderr()))
	case c.format == FormatText: // old ones
		all = slices.Clone(all)
		for i, s := range all {
			if s.Snapshot.Source.Kind == usage.KindCache {
				all[i].Err = nil // main writes it
			}
		}
		return errors.Join(c.write(c.figuresTo(cmd), all), err)
	}
	if werr := c.write(cmd.OutOrStdout(), all); werr != nil {
		return fmt.Errorf("write status: %w", werr)
	}
	return say.Told(say.Exit(err))
}
