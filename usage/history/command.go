package history

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// historyCommand is `windsock history` with what it takes from the process.
type historyCommand struct {
	open     func() (*Store, error)
	now      func() time.Time
	lookup   func(string) (string, bool)
	environ  []string
	location *time.Location
	// terminal reports whether somebody looks at an output.
	terminal func(any) bool

	since            string
	daily, csv, json bool
}

// NewCommand is `windsock history`. open gives the store, whose days begin at the
// machine's midnights, when the command runs; the command closes it.
func NewCommand(open func() (*Store, error)) *cobra.Command {
	return newCommand(&historyCommand{
		open: open, now: time.Now, lookup: os.LookupEnv, environ: os.Environ(),
		location: time.Local, //nolint:gosmopolitan // days are the person's
		terminal: terminal.Is,
	})
}

func newCommand(c *historyCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was used in the past",
		Long: `Show what was used of the plan, as the icon and windsock status have seen it:
a chart of each day, or a table where the output is no terminal.

A rise counts on the day on which it was seen, and the use of a day goes on
across resets. A day on which nothing was seen is left empty; one on which
nothing was used has a dot. The figures are those of the account that was seen
last; those of another are kept, and shown when it is used again.

--json and --csv write the samples themselves, in UTC, or with --daily the use
of each day. A sample is kept at most once a minute.`,
		Example: `  windsock history
  windsock history --since 12w --daily
  windsock history --since 2026-01-02 --csv > history.csv
  windsock history --since all --daily --json | jq '.days[-1]'`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.since, "since", "30d", "begin at `TIME`: 14d, 2w or 36h ago, a date, RFC 3339, or all")
	flags.BoolVar(&c.daily, "daily", false, "show the use of each day as a table")
	flags.BoolVar(&c.csv, "csv", false, "write CSV")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1")
	return cmd
}

func (c *historyCommand) run(cmd *cobra.Command, _ []string) error {
	now := c.now()
	from, ok := parseSince(c.since, now, c.location)
	switch {
	case !ok:
		return say.Usage("--since takes a time in the past: 14d, 2w or 36h, a date such as 2026-01-02, a time in RFC 3339, or all.")
	case c.csv && c.json:
		return say.Usage("--csv and --json exclude each other.")
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // nothing was written
	err = c.show(cmd.Context(), cmd.OutOrStdout(), store, from, now)
	if notice := store.Notice(); notice != "" && err == nil {
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", notice)
	}
	return err
}

func (c *historyCommand) show(ctx context.Context, out io.Writer, store *Store, from since, now time.Time) error {
	if (c.json || c.csv) && !c.daily {
		samples, err := store.Samples(ctx, from.moment)
		if err != nil {
			return err
		}
		if c.csv {
			return WriteCSV(out, samples)
		}
		return unwritten(samplesJSON(out, samples))
	}
	days, err := store.Days(ctx, from.day())
	switch {
	case err != nil:
		return err
	case c.csv:
		return unwritten(daysCSV(out, days))
	case c.json:
		return unwritten(daysJSON(out, days))
	}
	text := c.text(out, days, from, now)
	if text == "" {
		if text, err = c.nothing(ctx, store); err != nil {
			return err
		}
	}
	if f, ok := out.(*os.File); ok {
		lipgloss.EnableLegacyWindowsANSI(f)
	}
	// The writer takes the colours off again where they are not wanted.
	_, err = io.WriteString(colorprofile.NewWriter(out, c.environ), text)
	return unwritten(err)
}

// text is what a person sees, "" when there is nothing.
func (c *historyCommand) text(out io.Writer, days []Day, from since, now time.Time) string {
	if len(days) == 0 {
		return ""
	}
	width := c.width(out)
	if c.daily || !c.terminal(out) {
		return table(days, width)
	}
	first := from.day().In(c.location).Format(dateFormat)
	return charts(days, max(first, days[0].Date), max(now.In(c.location).Format(dateFormat), days[len(days)-1].Date), width)
}

func (c *historyCommand) nothing(ctx context.Context, store *Store) (string, error) {
	all, err := store.Days(ctx, time.Unix(0, 0))
	if err != nil || len(all) > 0 {
		return "Nothing was seen in that time. The last day with figures is " + lastDate(all) + ".\n", err
	}
	return "There is no history yet. It begins with the first figures that the icon or `windsock status` shows.\n", nil
}

func lastDate(days []Day) string {
	if len(days) == 0 {
		return ""
	}
	return days[len(days)-1].Date
}

// width is the terminal's; COLUMNS wins, and without either nothing is too wide.
func (c *historyCommand) width(out io.Writer) int {
	if n := terminal.Width(out, c.lookup); n > 0 {
		return n
	}
	if c.terminal(out) {
		return 80
	}
	return 1 << 20
}

// unwritten is an error of the output.
func unwritten(err error) error {
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}
