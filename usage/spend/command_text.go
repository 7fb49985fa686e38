package spend

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// The rules of the text: a heading, a row of each model (or whatever the rows are of),
// the total, and sentences. A bar is the share of the dearest; colour adds no
// information. When room runs short, labels are cut, then averages go, then bars, then
// prompts, then rows get lines of their own. Figures are never cut.

var (
	barStyle   = ansi.NewStyle().ForegroundColor(ansi.Cyan)
	faintStyle = ansi.NewStyle().Faint()
	titleStyle = ansi.NewStyle().Bold()
)

// textOptions are where a report is read.
type textOptions struct {
	words.Words

	// width is the terminal's, in columns; 0 is no limit.
	width int
	// attended says that a person reads it in a terminal: with bars, and not all rows.
	attended bool
	// several says that there are other plans, too.
	several bool
}

const (
	// maxRows is how many rows a terminal shows.
	maxRows = 15
	// maxBar and minBar are the length of the longest bar, in columns.
	maxBar, minBar = 24, 8
	// maxLabel is how much of a label is shown, and minLabel for how much of it other
	// things make room; no head is wider.
	maxLabel, minLabel = 40, 12
)

// text is a report for people.
func text(r Report, o textOptions) string {
	if o.width == 0 {
		o.width = 1 << 20
	}
	parts := []string{o.wrap(titleStyle, heading(r, o))}
	if nothing := r.Nothing(); nothing != "" {
		if r.Since.Unix() > 0 && !r.Read.IsZero() {
			nothing += " All that is kept: windsock spend --since all"
		}
		parts = append(parts, o.wrap(ansi.NewStyle(), nothing))
	} else {
		parts = append(parts, o.table(r))
	}
	if sentences := r.Sentences(o.Words); len(sentences) > 0 {
		parts = append(parts, o.wrap(ansi.NewStyle(), strings.Join(sentences, "\n")))
	}
	return strings.Join(parts, "\n")
}

// heading names the plan and the time.
func heading(r Report, o textOptions) string {
	product, hash, _ := strings.Cut(r.Plan, ":")
	name := usage.Product(product).Name()
	if o.several && hash != "" {
		name += " (" + hash + ")"
	}
	if r.Since.Unix() <= 0 {
		return name + " · where it went: all that is kept"
	}
	return name + " · where it went since " + o.Date(r.Since)
}

// wrap breaks a text into lines, and paints each separately.
func (o textOptions) wrap(style ansi.Style, text string) string {
	var lines strings.Builder
	for line := range strings.SplitSeq(terminal.Wrap(together(text), o.width), "\n") {
		lines.WriteString(style.Styled(line) + "\n")
	}
	return lines.String()
}

// together keeps figures and their units on one line.
func together(text string) string { return strings.ReplaceAll(text, " %", terminal.NoBreak+"%") }

// line is a row of the table.
type line struct {
	Row

	// sum says that it is of other rows, and has no bar and no average of days.
	sum bool
}

// column is a column of figures.
type column struct {
	head string
	of   func(line) string
	// spare says that it goes when room runs short.
	spare bool
}

// prompts is the head of a column.
const prompts = "Prompts"

// columns are those of a report: the cost that rows are compared by, other costs if there
// are some, prompts, and averages.
func columns(r Report) []column {
	var all []column
	for _, unit := range r.Total.Paid() {
		all = append(all, column{head: Column(unit), of: func(l line) string { return Cost(l.In(unit), unit) }})
	}
	all = append(all, column{head: prompts, of: func(l line) string { return Count(l.Prompts) }})
	unit := r.Total.Unit()
	if unit == "" {
		return all
	}
	all = append(all, column{"per prompt", func(l line) string { return Cost(l.PerPrompt(unit), unit) }, true})
	if r.By == ByModel || r.By == ByWorkspace {
		all = append(all, column{"per day", func(l line) string {
			if l.sum {
				return ""
			}
			return Cost(l.PerDay(unit), unit)
		}, true})
	}
	return all
}

// table has the rows and the total.
func (o textOptions) table(r Report) string {
	by := string(r.By)
	t := table{report: r, head: strings.ToUpper(by[:1]) + by[1:], columns: columns(r), lines: fewer(r, o.attended)}
	t.widest = ansi.StringWidth(t.head)
	for i, l := range t.lines {
		label := terminal.Short(l.Label)
		if o.attended {
			label = ansi.Truncate(label, maxLabel, "…")
		}
		t.lines[i].Label = label
		t.widest = max(t.widest, ansi.StringWidth(label))
	}
	for {
		room := o.width - t.figures()
		last := len(t.columns) - 1
		switch least := min(t.widest, minLabel); {
		case o.attended && room >= least+2+minBar:
			label := min(t.widest, room-2-minBar)
			return t.beside(label, min(maxBar, room-2-label))
		case !o.attended && room >= t.widest:
			return t.beside(t.widest, 0)
		case t.columns[last].spare:
			t.columns = t.columns[:last]
		case room >= least:
			return t.beside(min(t.widest, room), 0)
		case last > 0 && t.columns[last].head == prompts:
			t.columns = t.columns[:last]
		default:
			return t.below(o)
		}
	}
}

// fewer are the rows and the total. In a terminal, rows that have no place are summed up:
// of days the earliest, else the least dear.
func fewer(r Report, attended bool) []line {
	sum := func(label string, rows []Row) line {
		all := line{Row{Label: label}, true}
		for _, row := range rows {
			all.Figures = all.Plus(row.Figures)
		}
		return all
	}
	var lines []line
	rows, more := r.Rows, len(r.Rows)-maxRows+1
	switch {
	case !attended || more < 2:
		more = 0
	case r.By == ByDay:
		lines = append(lines, sum(fmt.Sprintf("%d earlier days", more), rows[:more]))
		rows, more = rows[more:], 0
	}
	shown := len(rows) - more
	for _, row := range rows[:shown] {
		lines = append(lines, line{Row: row})
	}
	if more > 0 {
		lines = append(lines, sum(fmt.Sprintf("and %d more", more), rows[shown:]))
	}
	return append(lines, line{Row{Label: "Total", Figures: r.Total}, true})
}

// table is a report's table while it is made.
type table struct {
	report  Report
	head    string // of the labels
	columns []column
	lines   []line
	// widest is the width of the longest label, or of their head.
	widest int
}

// figures is the width of the columns, with the blanks before each.
func (t table) figures() int {
	sum := 0
	for _, c := range t.columns {
		widest := ansi.StringWidth(c.head)
		for _, l := range t.lines {
			widest = max(widest, ansi.StringWidth(c.of(l)))
		}
		sum += 2 + widest
	}
	return sum
}

// beside sets the figures beside labels and bars of those widths.
func (t table) beside(label, bar int) string {
	rows := append(make([][]string, 0, 1+len(t.lines)), []string{t.head})
	for _, c := range t.columns {
		rows[0] = append(rows[0], c.head)
	}
	share := shares(t.report)
	for _, l := range t.lines {
		first := ansi.Truncate(l.Label, label, "…")
		if drawn := drawBar(share(l.Row), bar); !l.sum && drawn != "" {
			first += strings.Repeat(" ", label+2-ansi.StringWidth(first)) + barStyle.Styled(drawn)
		}
		rows = append(rows, []string{first})
		for _, c := range t.columns {
			rows[len(rows)-1] = append(rows[len(rows)-1], c.of(l))
		}
	}
	text, _ := terminal.Columns(rows, 0)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := len(lines) - 1
	lines[0], lines[last] = faintStyle.Styled(lines[0]), titleStyle.Styled(lines[last])
	return strings.Join(lines, "\n") + "\n"
}

// below has lines for each row, where columns do not fit.
func (t table) below(o textOptions) string {
	var text strings.Builder
	for _, l := range t.lines {
		text.WriteString(o.wrap(titleStyle, l.Label))
		for _, c := range t.columns {
			text.WriteString(o.wrap(ansi.NewStyle(), c.head+": "+c.of(l)))
		}
	}
	return text.String()
}

// shares tells how much of the dearest row's cost one has, 0 to 1. Where no cost is told
// it is of prompts.
func shares(r Report) func(Row) float64 {
	unit := r.Total.Unit()
	size := func(row Row) float64 {
		if unit == "" {
			return float64(row.Prompts)
		}
		cost, _ := row.In(unit).Float()
		return cost
	}
	most := 0.0
	for _, row := range r.Rows {
		most = max(most, size(row))
	}
	return func(row Row) float64 {
		if most <= 0 {
			return 0
		}
		return max(0, size(row)/most)
	}
}

// drawBar is a bar of a share of a width, in eighths of a column. Any share is seen.
func drawBar(share float64, width int) string {
	if width == 0 || share <= 0 {
		return ""
	}
	eighths := max(1, int(share*float64(width*8)+0.5))
	return strings.Repeat("█", eighths/8) + strings.TrimRight(string([]rune(" ▏▎▍▌▋▊▉")[eighths%8]), " ")
}
