package history

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/pace"
)

// historyCommand is `windsock history`.
type historyCommand struct {
	open     func() (*Store, error)
	now      func() time.Time
	lookup   func(string) (string, bool)
	environ  []string
	location *time.Location
	pace     func() (pace.Options, error)

	since, plan               string
	daily, windows, csv, json bool
}

// NewCommand is `windsock history`. When it runs, open returns the store, whose days
// begin at the machine's midnights, and pace how windows are judged; the command closes
// the store.
func NewCommand(open func() (*Store, error), pace func() (pace.Options, error)) *cobra.Command {
	return newCommand(&historyCommand{
		open: open, pace: pace, now: time.Now, lookup: os.LookupEnv, environ: os.Environ(),
		location: time.Local, //nolint:gosmopolitan // days are the person's
	})
}

func newCommand(c *historyCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was used in the past",
		Long: `Show what was used of the plan, as the icon and windsock status have seen it: a chart of
each day, or a table in a pipe.

Use counts on the day on which it was seen, also across resets. A day on which nothing was
seen is empty; a day on which nothing was used has a dot. Several plans stand one below the
other. An account that is no longer used is shown, too, if it was used in that time.

--windows lists the windows that are over: what was said of each at a quarter, half and
three quarters of it, and what came.

--json and --csv write the samples themselves, in UTC; with --daily the use of each day,
and with --windows the windows. They have all plans, named in the last field. At most one
sample a minute is kept.`,
		Example: `  windsock history
  windsock history --since 12w --daily
  windsock history --windows --since all
  windsock history --plan antigravity
  windsock history --since 2026-01-02 --csv > history.csv
  windsock history --since all --daily --json | jq '.days[-1]'`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.since, "since", "30d", "begin at `TIME`: "+usage.SinceForms)
	flags.StringVar(&c.plan, "plan", "", "show only the plan `ID`, such as windsurf or windsurf:3fa91c")
	flags.BoolVar(&c.daily, "daily", false, "show the use of each day as a table")
	flags.BoolVar(&c.windows, "windows", false, "show what was said of past windows, and what came")
	flags.BoolVar(&c.csv, "csv", false, "write CSV")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1")
	_ = cmd.RegisterFlagCompletionFunc("plan", c.completePlan) // fails only for an unknown flag
	return cmd
}

func (c *historyCommand) run(cmd *cobra.Command, _ []string) error {
	now := c.now().In(c.location)
	moment, day, err := usage.ParseSince(c.since, now)
	switch {
	case err != nil:
		return err
	case c.csv && c.json:
		return say.Usage("Give --csv or --json, not both.")
	case c.daily && c.windows:
		return say.Usage("Give --daily or --windows, not both.")
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // nothing was written
	if cmd.Flags().Changed("plan") {
		if err := checkPlan(cmd.Context(), store, c.plan); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch {
	case c.windows:
		err = c.showWindows(cmd.Context(), out, store, moment)
	case (c.json || c.csv) && !c.daily:
		err = c.showSamples(cmd.Context(), out, store, moment)
	default:
		err = c.showDays(cmd.Context(), out, store, day, now)
	}
	if notice := store.Notice(); notice != "" && err == nil {
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", notice)
	}
	return err
}

func (c *historyCommand) showSamples(ctx context.Context, out io.Writer, store *Store, since time.Time) error {
	samples, err := store.Samples(ctx, since)
	samples = slices.DeleteFunc(samples, func(s Sample) bool { return !planMeans(c.plan, s.Plan) })
	switch {
	case err != nil:
		return err
	case c.csv:
		return WriteCSV(out, samples)
	default:
		return writeJSON(out, "samples", sampleFields, samples)
	}
}

func (c *historyCommand) showDays(ctx context.Context, out io.Writer, store *Store, since, now time.Time) error {
	days, err := c.days(ctx, store, since)
	switch {
	case err != nil:
		return err
	case c.csv:
		return writeCSV(out, dayFields, days)
	case c.json:
		return writeJSON(out, "days", dayFields, days)
	}
	width, attended := c.width(out)
	var text string
	switch {
	case len(days) == 0:
		if text, err = c.nothing(ctx, store); err != nil {
			return err
		}
	case c.daily || !attended:
		text = eachPlan(days, width, func(days []Day) string { return table(days, width) })
	default:
		text = charts(DaysNotAhead(days, now), since.In(c.location), now, width)
	}
	return c.write(out, text)
}

// width is the width of the output in columns, and whether it is a terminal. COLUMNS
// wins. Output that is no terminal has no limit of width.
func (c *historyCommand) width(out io.Writer) (width int, attended bool) {
	width, attended = terminal.Width(out, c.lookup), terminal.Is(out)
	if attended {
		width = cmp.Or(width, 80)
	}
	return cmp.Or(width, 1<<20), attended
}

// write writes a text for people, without the colours that the output does not support.
func (c *historyCommand) write(out io.Writer, text string) error {
	_, err := io.WriteString(terminal.Colours(out, c.environ), text)
	return unwritten(err)
}

// days are the days of the plans to show.
func (c *historyCommand) days(ctx context.Context, store *Store, since time.Time) ([]Day, error) {
	days, err := store.Days(ctx, since)
	return slices.DeleteFunc(days, func(d Day) bool { return !planMeans(c.plan, d.Plan) }), err
}

// nothing is the text when there are no days to show.
func (c *historyCommand) nothing(ctx context.Context, store *Store) (string, error) {
	all, err := c.days(ctx, store, time.Unix(0, 0))
	if err != nil || len(all) == 0 {
		return "There is no history yet. It begins with the first figures that the icon or `windsock status` shows.\n", err
	}
	return "Nothing was seen in that time. The last day with figures is " + all[len(all)-1].Date + ".\n", nil
}
