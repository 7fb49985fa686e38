package spend

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// CommandParts are the parts of `windsock spend`.
type CommandParts struct {
	// Look reads what is new of the plan with that name for programs, such as
	// windsurf:3fa91c, or a product's name; "" is the plan that leads. Where nothing can be
	// read it fails, and its Look still has the plan, if something is kept of it. A name
	// that no plan has is an error of the command line.
	Look func(ctx context.Context, plan string, progress func(done, total int)) (Look, error)
	// Report adds up what is kept, with the names that the Look has seen.
	Report func(ctx context.Context, q Query, seen Look) (Report, error)
	// Plans are the names for programs of the plans that something is kept of.
	Plans func(ctx context.Context) ([]string, error)
	// Words is how the person writes times.
	Words func() words.Words
	// Now is the clock of the servers.
	Now func() time.Time
	// Close is the end of the command, or of a completion.
	Close func()
}

// command is `windsock spend` with the process's streams and environment.
type command struct {
	CommandParts

	lookup  func(string) (string, bool)
	environ []string

	by, since, plan string
	json, csv       bool
}

// NewCommand is `windsock spend`.
func NewCommand(parts CommandParts) *cobra.Command {
	return newCommand(&command{CommandParts: parts, lookup: os.LookupEnv, environ: os.Environ()})
}

func newCommand(c *command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "spend",
		Short: "Show where it went: by model, workspace, cascade or day",
		Long: `Show what the cascades of the editor have cost, by model, workspace, cascade or day,
beside what the plan's meter says. The figures are in credits, per cent of the quota,
ACUs, or dollars of extra usage. Antigravity and Cursor do not tell them.

The editor's language server tells with each step of a cascade what it cost and which
model answered. Windsock asks for the steps that are new since the last time, one cascade
after the other, archived ones too. The first time takes longer. A cascade in which a turn
runs is left for the next time. A step counts once, and what was spent stays spent if the
step is reverted or deleted. With background = true under [spend] in the settings the app
asks once a day, so that cascades which you delete later are counted, too.

"per prompt" is an average. "per day" is an average of the days with use. A dash is a
figure that is not known, and never a zero: a step that tells no cost may be free or not
told. What the meter says and the cascades do not explain was used elsewhere, or by such
steps. A terminal shows 15 rows and sums up the others; a pipe, a file, --json and --csv
get all.

Windsock keeps ids of cascades and models, times and figures, and after 90 days one row
for each cascade, day and model. It keeps no prompt, title or path: titles and workspaces
are read from the editor. Without an editor only ids are shown (exit code 3). Of several
accounts the one that leads is shown, unless --plan names another.

--json writes {"schema": 1, "plan", "since", "until", "by", "rows": [...], "total": {...},
"meters": [...]}. A row has key, label, prompts, credits, acu, quota_percent, overage_usd,
tokens (input; cached, which is a part of the input; output) and unknown_steps. A meter
has moved and elsewhere. What is not known is null. elsewhere is null while a cascade is
left out; of several meters of credits the first has it, for all of them. since is null
for --since all. --csv writes the rows; a label that a spreadsheet would compute begins
with an apostrophe.`,
		Example: `  windsock spend
  windsock spend --by workspace --since 30d
  windsock spend --by day --since 2w
  windsock spend --by cascade --since 2026-01-02 --csv > spend.csv
  windsock spend --json | jq .total.credits`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.by, "by", string(ByModel), "make a row of each `KIND`: "+strings.Join(kinds(), ", "))
	flags.StringVar(&c.since, "since", "7d", "begin at `TIME`: "+usage.SinceForms)
	flags.StringVar(&c.plan, "plan", "", "show the plan `ID`, such as windsurf or windsurf:3fa91c")
	flags.BoolVar(&c.csv, "csv", false, "write CSV")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1")
	// It fails only for a missing flag.
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(kinds(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("plan", c.completePlan)
	return cmd
}

func kinds() []string {
	return []string{string(ByModel), string(ByWorkspace), string(ByCascade), string(ByDay)}
}

// completePlan offers the plans that something is kept of.
func (c *command) completePlan(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	defer c.Close()
	plans, _ := c.Plans(cmd.Context()) // a shell shows no errors
	return plans, cobra.ShellCompDirectiveNoFileComp
}

func (c *command) run(cmd *cobra.Command, _ []string) error {
	defer c.Close()
	now := c.Now()
	w := c.Words()
	since, _, err := usage.ParseSince(c.since, now.In(cmp.Or(w.Location, time.UTC)))
	switch {
	case err != nil:
		return err
	case !slices.Contains(kinds(), c.by):
		return say.Usage("--by takes model, workspace, cascade or day.")
	case c.csv && c.json:
		return say.Usage("Give --csv or --json, not both.")
	}
	bar := c.bar(cmd.ErrOrStderr())
	look, failed := c.Look(cmd.Context(), c.plan, bar.Progress)
	bar.Clear()
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case say.Exit(failed) == say.ExitUsage:
		return failed
	}
	now = c.Now()
	report, err := c.Report(cmd.Context(), Query{
		Plan: look.Plan, By: By(c.by), Since: since.Truncate(time.Second), Until: now.Truncate(time.Second).Add(time.Second),
	}, look)
	switch {
	case failed != nil && (err != nil || report.Read.IsZero()):
		return failed
	case err != nil:
		return err
	}
	if err := c.show(cmd, report); err != nil {
		return err
	}
	notes := look.Sentences()
	if failed != nil {
		notes = append(notes, w.Showing(report.Read, now, say.Sentence(failed, failed.Error())))
		if report.By == ByCascade || report.By == ByWorkspace {
			notes = append(notes, "Titles and workspaces are not kept: they are shown while an editor runs that tells them.")
		}
	}
	for _, note := range notes {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", note); err != nil {
			return unwritten(err)
		}
	}
	switch {
	case failed != nil:
		return say.Told(say.Exit(failed))
	case len(look.Failed) > 0:
		return say.Told(1)
	default:
		return nil
	}
}

// bar draws on a terminal; elsewhere it is nil, which draws nothing.
func (c *command) bar(out io.Writer) *terminal.Bar {
	if !terminal.Is(out) {
		return nil
	}
	return terminal.NewBar(terminal.Colours(out, c.environ), "Reading cascades", cmp.Or(terminal.Width(out, c.lookup), 80))
}

func (c *command) show(cmd *cobra.Command, r Report) error {
	out := cmd.OutOrStdout()
	switch {
	case c.json:
		return unwritten(terminal.WriteJSON(out, newDocument(r)))
	case c.csv:
		return WriteCSV(out, r)
	}
	o := textOptions{Words: c.Words(), width: terminal.Width(out, c.lookup), attended: terminal.Is(out)}
	if o.width == 0 && o.attended {
		o.width = 80
	}
	if plans, err := c.Plans(cmd.Context()); err == nil && len(plans) > 1 {
		o.several = true
	}
	_, err := io.WriteString(terminal.Colours(out, c.environ), text(r, o))
	return unwritten(err)
}

// unwritten wraps an error of the output.
func unwritten(err error) error {
	if err != nil {
		return fmt.Errorf("write spend: %w", err)
	}
	return nil
}
