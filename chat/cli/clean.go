package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat/clean"
	"windsock/chat/touched"
	"windsock/probe/say"
)

// CleanConfig has the parts of `windsock clean`.
type CleanConfig struct {
	// Find finds the variant of that short name with all its servers; "" is the
	// configured variant, or a running one. It fails if one of the servers cannot be
	// asked.
	Find func(ctx context.Context, variant string) (clean.Target, error)
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
	// Touched is the record of the runs.
	Touched *touched.Table
	// Demo says that the editor and Touched end with the command, so that no other
	// command line can refer to them.
	Demo bool
	Now  func() time.Time
}

// cleanCommand is `windsock clean` with the process's streams and clock.
type cleanCommand struct {
	CleanConfig
	console

	location *time.Location // for times

	olderThan, variant      string
	keep                    int
	dryRun, yes, undo, json bool
}

// NewCleanCommand is `windsock clean`.
func NewCleanCommand(config CleanConfig) *cobra.Command {
	here := time.Local //nolint:gosmopolitan // a person reads the times in the zone of their machine
	return newCleanCommand(&cleanCommand{CleanConfig: config, console: newConsole(), location: here})
}

func newCleanCommand(c *cleanCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Archive cascades that are not used any more",
		Long: `Archive the cascades that nobody has touched for a while. They are shown first, and you are
asked. Those that run, are hidden or archived already, or are among the newest are left
alone.

Windsock deletes nothing. The editor takes what is archived out of its list and makes the
files smaller; what it leaves out of them is not known. --undo puts the cascades of the last
run, and of an interrupted one before it, back into the list, but not what their files have
lost.

Without a terminal to ask on, --yes is needed.`,
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
	case len(plan.Items) == 0: // the plan has said so
		return c.finish(cmd, clean.NewDocument(plan, c.dryRun, clean.Result{}), "")
	case c.dryRun:
		return c.finish(cmd, clean.NewDocument(plan, true, clean.Result{}), unchanged)
	}
	yes, err := c.ask(cmd, "Archive "+clean.Counted(len(plan.Items), "cascade")+"?")
	switch {
	case err != nil:
		return err
	case !yes:
		return c.finish(cmd, clean.NewDocument(plan, false, clean.Result{}), unchanged)
	}
	c.PutAway(clean.ArchiveLimit + time.Second)
	bar := c.newBar(cmd, "Archiving")
	result, err := cleaner.Run(cmd.Context(), plan, bar.Progress)
	bar.Clear()
	text := result.Words()
	if n := len(result.Archived); n > 0 && !c.Demo {
		them := "them"
		if n == 1 {
			them = "it"
		}
		text += " To put " + them + " back into the editor's list: windsock clean --undo"
	}
	return c.conclude(cmd, outcome{
		document: clean.NewDocument(plan, false, result),
		text:     text + "\n",
		did:      "archived",
		failed:   result.Failed,
		some:     len(result.Archived)+len(result.Failed) > 0,
		err:      err,
		done:     len(result.Archived),
		total:    len(plan.Items) - result.Changed,
		again:    "windsock clean",
	})
}

// takeBack runs --undo.
func (c *cleanCommand) takeBack(cmd *cobra.Command) error {
	nothing := clean.NewUndoDocument(clean.UndoResult{})
	if c.Demo {
		return c.finish(cmd, nothing,
			"There is nothing to undo: each command of a demo has an editor of its own. To try it: windsock demo prompt --view cascades\n")
	}
	last, err := clean.ReadLast(cmd.Context(), c.Touched)
	switch {
	case err != nil:
		return err
	case len(last.IDs) == 0:
		return c.finish(cmd, nothing, "There is nothing to undo.\n")
	case !c.yes && !c.canAsk(cmd):
		return say.Usage("There is no terminal to ask you on. Add --yes to go on without asking.")
	}
	target, err := c.Find(cmd.Context(), cmp.Or(c.variant, last.Variant))
	if err != nil {
		return err
	}
	if target.Close != nil {
		defer target.Close()
	}
	if target.Variant != last.Variant {
		return c.finish(cmd, nothing, "There is nothing to undo in "+target.App+": the last run was in "+last.Variant+".\n")
	}
	yes, err := c.ask(cmd, "Put back "+clean.Counted(len(last.IDs), "cascade")+" of "+last.At.In(c.location).Format("2006-01-02 15:04")+" in "+target.App+"?")
	switch {
	case err != nil:
		return err
	case !yes:
		return c.finish(cmd, nothing, unchanged)
	}
	c.PutAway(clean.ArchiveLimit + time.Second)
	bar := c.newBar(cmd, "Putting back")
	result, err := clean.New(target, c.Touched, c.Now).Undo(cmd.Context(), last, bar.Progress)
	bar.Clear()
	return c.conclude(cmd, outcome{
		document: clean.NewUndoDocument(result),
		text:     result.Words() + "\n",
		did:      "put back",
		failed:   result.Failed,
		some:     len(result.Restored)+len(result.Gone)+len(result.Failed) > 0,
		err:      err,
		done:     len(result.Restored),
		total:    len(last.IDs),
		again:    "windsock clean --undo",
	})
}

const unchanged = "Nothing was changed.\n"

// check rejects flags that do not fit together.
func (c *cleanCommand) check(cmd *cobra.Command) (clean.Rules, error) {
	changed := cmd.Flags().Changed
	age, ok := clean.ParseAge(c.olderThan)
	switch {
	case !ok:
		return clean.Rules{}, say.Usage("--older-than takes 14d, 36h, or a number of days.")
	case c.keep < 0:
		return clean.Rules{}, say.Usage("--keep takes a number from 0 on.")
	case c.undo && (c.dryRun || changed("older-than") || changed("keep")):
		return clean.Rules{}, say.Usage("--undo takes the whole last run back. Leave out --older-than, --keep and --dry-run.")
	case !c.undo && !c.yes && !c.dryRun && !c.canAsk(cmd):
		return clean.Rules{}, say.Usage("There is no terminal to ask you on. Add --yes to go on without asking, or --dry-run to look only.")
	}
	return clean.Rules{OlderThan: age, Keep: c.keep}, nil
}

// outcome is the report at the end.
type outcome struct {
	document    any
	text, did   string
	failed      []clean.Failure
	some        bool // anything was tried
	err         error
	done, total int
	again       string // the command that continues after an interruption
}

// conclude reports what was done, even if incomplete, and what was not.
func (c *cleanCommand) conclude(cmd *cobra.Command, o outcome) error {
	interrupted := errors.Is(o.err, context.Canceled)
	if o.err != nil && !interrupted && !o.some {
		return o.err // nothing was changed
	}
	if err := c.finish(cmd, o.document, o.text); err != nil {
		return err
	}
	notes := failureText(o.did, o.failed)
	if interrupted {
		notes += fmt.Sprintf("windsock: interrupted after %d of %d", o.done, o.total)
		if !c.Demo {
			notes += ": " + o.again + " does the rest"
		}
		notes += "\n"
	}
	if err := writeText(cmd.ErrOrStderr(), notes); err != nil {
		return err
	}
	switch {
	case interrupted:
		return say.Told(say.ExitInterrupted)
	case o.err != nil:
		return o.err
	case len(o.failed) > 0:
		return say.Told(1)
	default:
		return nil
	}
}

// show shows the plan to a person who will be asked, or who wants no JSON.
func (c *cleanCommand) show(cmd *cobra.Command, plan clean.Plan, app string) error {
	out, asks := cmd.OutOrStdout(), !c.yes && !c.dryRun
	switch {
	case c.json && !asks:
		return nil
	case c.json, asks && !c.terminal(out): // the person has to see it before the question
		out = cmd.ErrOrStderr()
	}
	view := planView{width: c.width(out), rows: shownItems}
	switch {
	case c.dryRun:
		view.rows = len(plan.Items)
	case asks && !c.Demo:
		view.hint = dryRunHint
	}
	return writeText(out, planText(plan, app, view))
}

// finish writes the result.
func (c *cleanCommand) finish(cmd *cobra.Command, document any, text string) error {
	out := cmd.OutOrStdout()
	if c.json {
		return writeJSON(out, document)
	}
	return writeText(out, cleanWrap(text, c.width(out)))
}
