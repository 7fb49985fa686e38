package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"windsock/chat/clean"
	"windsock/chat/touched"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// CleanConfig is what `windsock clean` is made of.
type CleanConfig struct {
	// Find finds the variant of that short name, "" for the one that is settled or
	// runs, with all its servers. It fails where one of them cannot be asked.
	Find func(ctx context.Context, variant string) (clean.Target, error)
	// PutAway is told how long the command needs after a Ctrl-C; nil tells nobody.
	PutAway func(time.Duration)
	// Touched is where runs are remembered.
	Touched *touched.Table
	// Demo says that editor and Touched end with the command, so that no other
	// command line can have to do with them.
	Demo bool
	// Now is the clock; nil is the machine's.
	Now func() time.Time
	// Terminal reports whether a person sits at a stream; nil asks the system.
	Terminal func(stream any) bool
	// Location is the zone that times are told in; nil is the machine's.
	Location *time.Location
}

// cleanCommand is `windsock clean` with what it takes from the process.
type cleanCommand struct {
	CleanConfig

	lookup  func(string) (string, bool)
	environ []string

	olderThan, variant      string
	keep                    int
	dryRun, yes, undo, json bool
}

// NewCleanCommand is `windsock clean`.
func NewCleanCommand(config CleanConfig) *cobra.Command {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Terminal == nil {
		config.Terminal = terminal.Is
	}
	if config.Location == nil {
		config.Location = time.Local //nolint:gosmopolitan // a person reads the times in the zone of their machine
	}
	return newCleanCommand(&cleanCommand{CleanConfig: config, lookup: os.LookupEnv, environ: os.Environ()})
}

func newCleanCommand(c *cleanCommand) *cobra.Command {
	if c.PutAway == nil {
		c.PutAway = func(time.Duration) {}
	}
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Archive cascades that are not used any more",
		Long: `Archive the cascades that nobody has touched for a while, after showing them
and asking. What is running, hidden or archived already is left alone, and so are
the newest ones.

Windsock deletes nothing. The editor takes what is archived out of its list, and
makes the files smaller; what it leaves out of them is not known. --undo puts the
cascades of the last run back into the list, but not what their files have lost.

Without a terminal to ask on, it takes --yes.`,
		Example: `  windsock clean --dry-run
  windsock clean --older-than 30d --keep 20
  windsock clean --yes --json | jq .bytes_freed
  windsock clean --undo`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.olderThan, "older-than", "14d", "archive what was not touched for `TIME`: 14d, 36h, or a number of days")
	flags.IntVar(&c.keep, "keep", clean.DefaultRules().Keep, "keep the `N` newest, however old they are")
	flags.BoolVar(&c.dryRun, "dry-run", false, "show all that would be archived, and change nothing")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&c.undo, "undo", false, "put the last run back into the editor's list")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1")
	flags.StringVar(&c.variant, "variant", "", "clean up this `NAME` of an editor, such as windsurf-next")
	return cmd
}

func (c *cleanCommand) run(cmd *cobra.Command, _ []string) error {
	rules, err := c.check(cmd)
	if err != nil {
		return err
	}
	if c.undo {
		return c.takeBack(cmd)
	}
	target, err := c.Find(cmd.Context(), c.variant)
	if err != nil {
		return err
	}
	if target.Close != nil {
		defer target.Close()
	}
	cleaner := clean.New(target, c.Touched, c.Now)
	plan, err := cleaner.Plan(cmd.Context(), rules)
	if err != nil {
		return err
	}
	if !c.dryRun && len(plan.Items) > 0 {
		if err := cleaner.Ready(cmd.Context()); err != nil {
			return err
		}
	}
	if err := c.show(cmd, plan, target.App); err != nil {
		return err
	}
	switch {
	case c.dryRun, len(plan.Items) == 0:
		return c.finish(cmd, clean.NewDocument(plan, c.dryRun, clean.Result{}), c.dryRunText(plan))
	case !c.yes:
		yes, err := c.ask(cmd, "Archive "+clean.Counted(len(plan.Items), "cascade")+"?")
		if err != nil {
			return err
		}
		if !yes {
			return c.finish(cmd, clean.NewDocument(plan, false, clean.Result{}), "Nothing was changed.\n")
		}
	}
	c.PutAway(clean.ArchiveLimit + time.Second)
	bar := c.newBar(cmd, "Archiving")
	result, err := cleaner.Run(cmd.Context(), plan, bar.progress)
	bar.clear()
	return c.conclude(cmd, cleanConclusion{
		document: clean.NewDocument(plan, false, result),
		text:     result.Words() + c.undoHint(result) + "\n",
		did:      "archived",
		failed:   result.Failed,
		some:     len(result.Archived)+len(result.Failed) > 0,
		err:      err,
		cut:      c.cut(len(result.Archived), len(plan.Items)-result.Changed, "windsock clean"),
	})
}

// undoHint is what a person is told who may want the run back.
func (c *cleanCommand) undoHint(result clean.Result) string {
	switch n := len(result.Archived); {
	case n == 0, c.Demo:
		return ""
	case n == 1:
		return " To put it back into the editor's list: windsock clean --undo"
	default:
		return " To put them back into the editor's list: windsock clean --undo"
	}
}

// cut tells of an interruption, and which command does the rest.
func (c *cleanCommand) cut(done, total int, rest string) string {
	cut := fmt.Sprintf("interrupted after %d of %d", done, total)
	if c.Demo {
		return cut
	}
	return cut + ": " + rest + " does the rest"
}

// check refuses flags that make no sense.
func (c *cleanCommand) check(cmd *cobra.Command) (clean.Rules, error) {
	changed := cmd.Flags().Changed
	age, ok := clean.ParseAge(c.olderThan)
	switch {
	case !ok:
		return clean.Rules{}, say.Usage("--older-than takes 14d, 36h, or a number of days.")
	case c.keep < 0:
		return clean.Rules{}, say.Usage("--keep takes a number from 0 on.")
	case c.undo && (c.dryRun || changed("older-than") || changed("keep")):
		return clean.Rules{}, say.Usage("--undo takes the whole last run back, so --older-than, --keep and --dry-run have nothing to say.")
	case !c.undo && !c.yes && !c.dryRun && !c.canAsk(cmd):
		return clean.Rules{}, say.Usage("There is no terminal to ask on. Add --yes to go on without, or --dry-run to look only.")
	}
	return clean.Rules{OlderThan: age, Keep: c.keep}, nil
}

// exitInterrupted is what a shell expects after a Ctrl-C.
const exitInterrupted = 130

// cleanConclusion is what there is to tell at the end.
type cleanConclusion struct {
	document any
	text     string
	did      string
	failed   []clean.Failure
	// some says that something was tried.
	some bool
	err  error
	// cut is told when a person has cut it off.
	cut string
}

// conclude tells what was done, also where that is not all, and what was not.
func (c *cleanCommand) conclude(cmd *cobra.Command, end cleanConclusion) error {
	interrupted := errors.Is(end.err, context.Canceled)
	if end.err != nil && !interrupted && !end.some {
		return end.err // nothing was changed
	}
	if err := c.finish(cmd, end.document, end.text); err != nil {
		return err
	}
	notes := failureText(end.did, end.failed)
	if interrupted {
		notes += "windsock: " + end.cut + "\n"
	}
	if _, err := io.WriteString(cmd.ErrOrStderr(), notes); err != nil {
		return fmt.Errorf("write failures: %w", err)
	}
	switch {
	case interrupted:
		return say.Told(exitInterrupted)
	case end.err != nil:
		return end.err
	case len(end.failed) > 0:
		return say.Told(1)
	default:
		return nil
	}
}

// show tells the plan: to a person who will be asked, or who wants no JSON.
func (c *cleanCommand) show(cmd *cobra.Command, plan clean.Plan, app string) error {
	out := cmd.OutOrStdout()
	if c.json {
		if c.yes || c.dryRun {
			return nil
		}
		out = cmd.ErrOrStderr()
	}
	if !c.yes && !c.dryRun && !c.Terminal(out) {
		out = cmd.ErrOrStderr() // who is asked has to see it
	}
	view := planView{width: widthOf(out, c.Terminal, c.lookup), rows: shownItems}
	switch {
	case c.dryRun:
		view.rows = len(plan.Items)
	case !c.yes && !c.Demo:
		view.hint = dryRunHint
	}
	return c.write(out, planText(plan, app, view))
}

func (c *cleanCommand) dryRunText(plan clean.Plan) string {
	if len(plan.Items) == 0 {
		return "" // which the plan says
	}
	return "Nothing was changed.\n"
}

// finish writes what came of it.
func (c *cleanCommand) finish(cmd *cobra.Command, document any, text string) error {
	if c.json {
		if err := writeJSON(cmd.OutOrStdout(), document); err != nil {
			return fmt.Errorf("write result: %w", err)
		}
		return nil
	}
	return c.write(cmd.OutOrStdout(), cleanWrap(text, widthOf(cmd.OutOrStdout(), c.Terminal, c.lookup)))
}

func (c *cleanCommand) write(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// newBar draws on a terminal only.
func (c *cleanCommand) newBar(cmd *cobra.Command, label string) *cleanBar {
	out := cmd.ErrOrStderr()
	if !c.Terminal(out) {
		return &cleanBar{out: io.Discard}
	}
	if f, ok := out.(*os.File); ok {
		lipgloss.EnableLegacyWindowsANSI(f)
	}
	// The writer takes the colours off again where they are not wanted.
	return &cleanBar{out: colorprofile.NewWriter(out, c.environ), label: label, width: widthOf(out, c.Terminal, c.lookup)}
}
