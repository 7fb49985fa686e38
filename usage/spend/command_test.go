package spend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

// weekAgo is where most reports begin.
var weekAgo = usagetest.Noon.Add(-7 * usagetest.Day)

// ofModels is a report of a plan with credits.
func ofModels() Report {
	row := func(key, label string, prompts int, credits usage.Amount, days, steps, unknown int) Row {
		return Row{Key: key, Label: label, Days: days, Figures: Figures{
			Prompts: prompts, Costs: Costs{Credits: credits}, ModelSteps: steps, UnknownSteps: unknown,
			Tokens: Tokens{Input: new(int64(steps * 1000)), Output: new(int64(steps * 10))},
		}}
	}
	return finished(Report{
		Plan: "windsurf:3fa91c", Since: weekAgo, Until: usagetest.Noon, By: ByModel, Read: usagetest.Noon,
		Rows: []Row{
			row("claude-sonnet-4-5-thinking", "Claude Sonnet 4.5 Thinking", 1012, told(1300.5), 5, 2400, 1200),
			row("gpt-5-high", "GPT-5 (high reasoning)", 18, told(36), 2, 60, 31),
			row("", "unknown", 1, told(8), 1, 1, 0),
			row("swe-1-5", "SWE-1.5", 77, usage.Amount{}, 4, 300, 300),
		},
		Meters: []Moved{
			{Meter: usage.PromptCredits, Moved: told(500), Elsewhere: told(12.25), From: weekAgo},
			{Meter: usage.FlexCredits, Moved: told(856.75), From: weekAgo},
			{Meter: usage.ExtraUsage, Moved: told(0), Elsewhere: told(0), From: weekAgo},
		},
	})
}

// finished adds the total.
func finished(r Report) Report {
	for _, row := range r.Rows {
		r.Total = r.Total.Plus(row.Figures)
	}
	return r
}

// ofCascades is one of a plan with a quota, which paid more on one day.
func ofCascades() Report {
	r := Report{Plan: "windsurf:3fa91c", Since: weekAgo, Until: usagetest.Noon, By: ByCascade, Read: usagetest.Noon}
	for i := range 22 {
		costs := Costs{QuotaPercent: told(12.34 / float64(1+i))}
		if i == 3 {
			costs.OverageUSD = told(1.5)
		}
		r.Rows = append(r.Rows, Row{
			Key: fmt.Sprintf("c-%02d", i), Label: fmt.Sprintf("Cascade %d with a long title about \x1b[31mmany\x1b[0m\u202e things\n", i), Days: 1,
			Figures: Figures{Prompts: 1 + i%4, Costs: costs, ModelSteps: 5},
		})
	}
	r.Rows[1].Label = "=HYPERLINK(\"http://example.com\")"
	r.Rows[2].Label = "👍👍 🙂"
	r.Meters = []Moved{{Meter: usage.DailyQuota}, {Meter: usage.WeeklyQuota}, {Meter: usage.ExtraUsage}}
	return finished(r)
}

// ofDays is one of a month in ACUs.
func ofDays() Report {
	r := Report{Plan: "windsurf", Since: time.Unix(0, 0), Until: usagetest.Noon, By: ByDay, Read: usagetest.Noon}
	for i := range 30 {
		day := usagetest.Noon.AddDate(0, 0, i-29).Format(time.DateOnly)
		r.Rows = append(r.Rows, Row{Key: day, Label: day, Days: 1, Figures: Figures{Prompts: i % 7, Costs: Costs{ACU: told(float64(i%7) * 0.1234)}}})
	}
	r.Meters = []Moved{{Meter: usage.ACU, Moved: told(11.5), Elsewhere: told(0.8894)}}
	return finished(r)
}

// ofWorkspaces is one of a server that tells no costs.
func ofWorkspaces() Report {
	row := func(name string, prompts int) Row {
		return Row{Key: "file:///home/robin/" + name, Label: name, Days: 1, Figures: Figures{Prompts: prompts, ModelSteps: 9, UnknownSteps: 9}}
	}
	return finished(Report{
		Plan: "windsurf", Since: weekAgo, Until: usagetest.Noon, By: ByWorkspace, Read: usagetest.Noon,
		Rows: []Row{row("windsock", 12), row("notes", 3)},
	})
}

// TestText shows reports in terminals. They are the same without their colours, which
// carry no information, and fit.
func TestText(t *testing.T) {
	t.Parallel()
	nothing := Report{Plan: "windsurf:3fa91c", Since: weekAgo, Until: usagetest.Noon, By: ByModel}
	notThen := nothing
	notThen.Read = usagetest.Noon
	tests := []struct {
		name    string
		report  Report
		several bool
	}{
		{"models", ofModels(), false},
		{"cascades", ofCascades(), true},
		{"days", ofDays(), false},
		{"workspaces", ofWorkspaces(), false},
		{"nothing_kept", nothing, false},
		{"nothing_then", notThen, false},
	}
	for _, tt := range tests {
		for _, width := range []int{80, 60, 40, 18} {
			t.Run(fmt.Sprintf("%s_%d", tt.name, width), func(t *testing.T) {
				t.Parallel()
				got := text(tt.report, textOptions{width: width, attended: true, several: tt.several})
				if !strings.Contains(got, "\x1b[") {
					t.Error("no colours")
				}
				got = ansi.Strip(got)
				for line := range strings.SplitSeq(got, "\n") {
					if ansi.StringWidth(line) > width || strings.TrimRight(line, " ") != line {
						t.Errorf("does not fit: %q", line)
					}
				}
				probetest.Golden(t, fmt.Sprintf("golden/%s_%d.txt", tt.name, width), []byte(got))
			})
		}
	}
}

// parts are those of a command that shows a report.
func parts(r Report, look Look, err error) CommandParts {
	return CommandParts{
		Look: func(_ context.Context, _ string, progress func(int, int)) (Look, error) {
			progress(1, 2)
			return look, err
		},
		Report: func(_ context.Context, q Query, _ Look) (Report, error) {
			r.By, r.Since, r.Until = q.By, q.Since, q.Until
			return r, nil
		},
		Plans: func(context.Context) ([]string, error) { return []string{r.Plan}, nil },
		Words: func() words.Words { return words.Words{} },
		Now:   func() time.Time { return usagetest.Noon.Add(300 * time.Millisecond) },
		Close: func() {},
	}
}

func runCommand(t *testing.T, p CommandParts, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := newCommand(&command{
		CommandParts: p, environ: []string{"TERM=xterm"}, lookup: func(string) (string, bool) { return "", false },
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs strings.Builder
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func TestCommandGolden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		report Report
		args   []string
	}{
		{"models_piped.txt", ofModels(), nil},
		{"models.json", ofModels(), []string{"--json", "--since", "36h"}},
		{"models.csv", ofModels(), []string{"--csv"}},
		{"cascades_piped.txt", ofCascades(), []string{"--by", "cascade"}},
		{"cascades.csv", ofCascades(), []string{"--by", "cascade", "--csv"}},
		{"days.json", ofDays(), []string{"--by", "day", "--since", "all", "--json"}},
		{"nothing.json", Report{Plan: "windsurf:3fa91c"}, []string{"--json"}},
		{"nothing.csv", Report{Plan: "windsurf:3fa91c"}, []string{"--csv"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runCommand(t, parts(tt.report, Look{}, nil), tt.args...)
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			if strings.HasSuffix(tt.name, ".csv") { // the line ends are RFC 4180's
				if strings.Count(out, "\n") != strings.Count(out, "\r\n") {
					t.Errorf("line ends of %q", out)
				}
				out = strings.ReplaceAll(out, "\r\n", "\n")
			}
			probetest.Golden(t, "golden/"+tt.name, []byte(out))
		})
	}
}

// TestCommandAsks checks what is asked for: a day is a week's seventh, and the present
// second counts.
func TestCommandAsks(t *testing.T) {
	t.Parallel()
	plan := usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("robin")}
	var asked string
	var got Query
	p := parts(ofModels(), Look{Plan: plan}, nil)
	p.Look = func(_ context.Context, plan string, _ func(int, int)) (Look, error) {
		asked = plan
		return Look{Plan: usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("robin")}}, nil
	}
	p.Report = func(_ context.Context, q Query, _ Look) (Report, error) {
		got = q
		return ofModels(), nil
	}
	if _, _, err := runCommand(t, p, "--plan", "windsurf:3fa91c", "--by", "workspace", "--since", "2d"); err != nil {
		t.Fatal(err)
	}
	want := Query{Plan: plan, By: ByWorkspace, Since: usagetest.Noon.AddDate(0, 0, -2), Until: usagetest.Noon.Add(time.Second)}
	if diff := cmp.Diff(want, got); diff != "" || asked != "windsurf:3fa91c" {
		t.Errorf("asked for %q (-want +got):\n%s", asked, diff)
	}
}

// TestCommandNotes checks what stands on stderr, and the exit code.
func TestCommandNotes(t *testing.T) {
	t.Parallel()
	gone := usagetest.ErrNotRunning
	old := ofModels()
	old.Read = usagetest.Noon.Add(-2 * time.Hour)
	failed := []Failure{{Cascade{ID: "c-1", Title: "Fix it"}, &say.Error{What: "It did not answer."}}}
	tests := []struct {
		name   string
		args   []string
		report Report
		look   Look
		err    error
		errs   string
		exit   int
		shown  bool
	}{
		{"all_read", nil, ofModels(), Look{}, nil, "", 0, true},
		{"runs", nil, ofModels(), Look{Running: 1}, nil, "windsock: A turn is running; its cascade is left for later.\n", 0, true},
		{"some_failed", nil, ofModels(), Look{Failed: failed}, nil, "windsock: The cascade “Fix it” could not be read: It did not answer.\n", 1, true},
		{"no_editor", nil, old, Look{}, gone, "windsock: Showing figures of 08:00 (Start Windsurf and try again)\n", 3, true},
		{
			"no_editor_for_titles",
			[]string{"--by", "cascade"},
			old,
			Look{},
			gone,
			"windsock: Showing figures of 08:00 (Start Windsurf and try again)\n" +
				"windsock: Titles and workspaces are not kept: they are shown while an editor runs that tells them.\n", 3, true,
		},
		{"no_editor_yet", nil, Report{}, Look{}, gone, "", 3, false},
		{"no_such_plan", nil, old, Look{}, say.Usage("There is no such plan."), "", say.ExitUsage, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runCommand(t, parts(tt.report, tt.look, tt.err), tt.args...)
			if say.Exit(err) != tt.exit || errs != tt.errs || (out != "") != tt.shown {
				t.Errorf("exit code %d, want %d; stderr %q, want %q; stdout:\n%s", say.Exit(err), tt.exit, errs, tt.errs, out)
			}
			if !tt.shown && !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
		})
	}
}

func TestCommandErrors(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--by", "hour"},
		{"--by", ""},
		{"--since", "tomorrow"},
		{"--csv", "--json"},
	} {
		p := parts(Report{}, Look{}, nil)
		p.Look = func(context.Context, string, func(int, int)) (Look, error) {
			t.Errorf("%v: the servers were asked", args)
			return Look{}, nil
		}
		_, _, err := runCommand(t, p, args...)
		if say.Exit(err) != say.ExitUsage || !strings.HasSuffix(say.Sentence(err, ""), ".") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestCommandInterrupted: what was read is kept, and half of it is not shown.
func TestCommandInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := parts(ofModels(), Look{}, nil)
	p.Look = func(context.Context, string, func(int, int)) (Look, error) {
		cancel()
		return Look{}, nil
	}
	cmd := NewCommand(p)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out strings.Builder
	cmd.SetArgs([]string{})
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, stdout %q", err, out.String())
	}
}

// TestCommandFails: a failing store or output ends the command with its error.
func TestCommandFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk gone")
	p := parts(ofModels(), Look{}, nil)
	p.Report = func(context.Context, Query, Look) (Report, error) { return Report{}, broken }
	if out, _, err := runCommand(t, p); !errors.Is(err, broken) || out != "" {
		t.Errorf("%v, stdout %q", err, out)
	}
	for _, args := range [][]string{nil, {"--json"}, {"--csv"}} {
		cmd := NewCommand(parts(ofModels(), Look{}, nil))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append([]string{}, args...))
		cmd.SetOut(closed{})
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// closed is an output whose reader has gone.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzText shows any titles and figures in any terminal: lines fit, and no figure is cut.
func FuzzText(f *testing.F) {
	f.Add("Fix it", uint8(80), uint8(3), int64(1_500_000), int64(0), uint8(0))
	f.Add("\x1b]0;owned\x07 👍👍\u202e \u200d🙂", uint8(17), uint8(40), int64(1)<<50, int64(7), uint8(3))
	f.Add(strings.Repeat("long ", 60), uint8(33), uint8(15), int64(-1), int64(1)<<40, uint8(1))
	f.Fuzz(func(t *testing.T, title string, width, rows uint8, credits, overage int64, by uint8) {
		r := Report{Plan: "windsurf:3fa91c", Since: weekAgo, Until: usagetest.Noon, Read: usagetest.Noon, By: By(kinds()[by%4])}
		amount := func(n int64) usage.Amount {
			if n < 0 {
				return usage.Amount{}
			}
			return usage.Micros(n % (1 << 50))
		}
		for i := range int(rows) {
			r.Rows = append(r.Rows, Row{Key: "key", Label: fmt.Sprint(title, i), Days: i % 3, Figures: Figures{
				Prompts: i * int(rows), Costs: Costs{Credits: amount(credits), OverageUSD: amount(overage)}, ModelSteps: i, UnknownSteps: i / 2,
			}})
		}
		r = finished(r)
		o := textOptions{width: max(2, int(width)), attended: width%2 == 0}
		got := text(r, o)
		for line := range strings.SplitSeq(got, "\n") {
			plain := ansi.Strip(line)
			if ansi.StringWidth(line) > o.width || strings.TrimRight(plain, " ") != plain || strings.ContainsFunc(plain, unicode.IsControl) {
				t.Errorf("in %d columns: %q", o.width, line)
			}
		}
		bare := strings.NewReplacer("\n", "", " ", "").Replace(ansi.Strip(got))
		for _, unit := range r.Total.Told() {
			if cost := r.Total.In(unit); cost.Positive() && len(r.Rows) > 0 && !strings.Contains(bare, strings.ReplaceAll(words.Short(cost, unit), " ", "")) {
				t.Errorf("in %d columns %s is cut:\n%s", o.width, words.Short(cost, unit), ansi.Strip(got))
			}
		}
	})
}
