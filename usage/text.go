package usage

import (
	"cmp"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// TextOptions are the habits of the reader and of the terminal.
type TextOptions struct {
	Words

	// Width is the terminal's, in columns; nothing is wider.
	Width int
	// Colour adds escape sequences. What they say stands in words as well.
	Colour bool
}

// row is one meter on its way into text.
type row struct {
	label string
	bar   string
	tone  tone
	// text stands beside the bar, under below the bar.
	text, under string
}

// tone is how grave a row is.
type tone int

const (
	tonePlain tone = iota
	toneFine       // of a bar, beside a text that is plain
	toneLow
	toneCritical
	toneFaint
)

// Text is a snapshot that was judged with [Snapshot.At], for people: a line or
// two for each meter, then notices and problems as sentences. It ends with a
// line break.
func Text(s Snapshot, o TextOptions) string {
	o.Width = max(o.Width, 2)
	lines := []string{heading(s, o)}
	rows := o.rows(s)
	if s.Billing == BillingUnlimited {
		lines = append(lines, o.wrap("Unlimited", "", tonePlain)...)
	}
	lines = append(lines, o.table(rows)...)
	if sentences := o.sentences(s); len(sentences) > 0 {
		lines = append(append(lines, ""), sentences...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// sentences are the notices that no row says already, and the problems.
func (o TextOptions) sentences(s Snapshot) []string {
	var lines []string
	for _, n := range s.Notices {
		if n.Code != NoticeOnExtraUsage && n.Code != NoticeInDebt {
			lines = append(lines, o.wrap(n.Sentence(o.Words), "", tonePlain)...)
		}
	}
	for _, p := range s.Problems {
		lines = append(lines, o.wrap(p.Message, "", tonePlain)...)
	}
	return lines
}

func heading(s Snapshot, o TextOptions) string {
	app := cleanName(s.Source.App)
	if app == "" {
		app = map[SourceKind]string{KindFile: "Saved answer", KindCache: "Editor's cache"}[s.Source.Kind]
	}
	if app == "" {
		app = "Windsurf"
	}
	text := app
	if s.Plan != "" {
		text += " · " + s.Plan
	}
	text = ansi.Truncate(text, o.Width, "…")
	if !o.Colour {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

func (o TextOptions) rows(s Snapshot) []row {
	var rows []row
	for _, m := range s.Meters {
		// An unlimited line has nothing to say beside those that count.
		if m.State != StateUnlimited {
			rows = append(rows, o.row(s, m))
		}
	}
	return rows
}

var labels = map[MeterID]string{
	PromptCredits: "Prompt credits",
	FlexCredits:   "Flex credits",
	FlowCredits:   "Flow credits",
	DailyQuota:    "Daily quota",
	WeeklyQuota:   "Weekly quota",
	ACU:           "ACUs",
	ExtraUsage:    "Extra usage",
}

func (o TextOptions) row(s Snapshot, m Meter) row {
	r := row{label: labels[m.ID]}
	switch m.State {
	case StateRolledOver:
		r.text = "The window has been reset; the new figure is not known yet"
	case StateUnreadable:
		r.text, r.under = "The figure could not be read", o.reset(m, s.Judged)
	case StateExhausted:
		r.bar, r.tone = m.bar(), toneCritical
		r.text, r.under = o.usedUp(s, m)
	default:
		if m.Total.known {
			r.bar = m.bar()
		}
		r.tone, r.text, r.under = m.tone(), m.left(), o.reset(m, s.Judged)
	}
	return r
}

// tone follows the thresholds that warnings have by default.
func (m Meter) tone() tone {
	share := m.RemainingPercent()
	switch {
	case m.ID == ExtraUsage && m.Remaining.negative():
		return toneCritical
	case !share.known || share.micros > 20*one:
		return tonePlain
	case share.micros > 5*one:
		return toneLow
	default:
		return toneCritical
	}
}

// left says what is left; the word "left", "used" or "owed" stands beside
// every number.
func (m Meter) left() string {
	unit := ""
	if m.Unit == UnitACU {
		unit = " ACUs"
	}
	switch {
	case m.Unit == UnitUSD:
		return Balance(m.Remaining)
	case m.Unit == UnitPercent:
		return m.Percent() + " left"
	case !m.Total.known:
		return Figure(m.Used) + unit + " used"
	default:
		return Figure(m.Remaining) + " of " + Figure(m.Total) + unit + " left (" + m.Percent() + ")"
	}
}

func (o TextOptions) usedUp(s Snapshot, m Meter) (text, under string) {
	back := ""
	if !m.Window.End.IsZero() {
		back = "back " + o.Moment(m.Window.End, s.Judged)
	}
	if balance := extraUsage(s.Meters); m.Unit == UnitPercent && balance.positive() {
		return "Used up, on extra usage: " + Balance(balance), back
	}
	if back == "" {
		return "Used up", ""
	}
	return "Used up · " + back, ""
}

func (o TextOptions) reset(m Meter, now time.Time) string {
	end := m.Window.End
	if end.IsZero() || !end.After(now) {
		return ""
	}
	in := Duration(end.Sub(now))
	if in != Soon {
		in = "in " + in
	}
	return "resets " + in + " (" + o.Moment(end, now) + ")"
}

// A terminal narrower than this has no room for bars.
const barless = 50

// table sets the rows in columns. The bars go first when there is not enough
// room, then lines wrap, then the labels get lines of their own.
func (o TextOptions) table(rows []row) []string {
	column, widest := 0, 0
	for _, r := range rows {
		column = max(column, lipgloss.Width(r.label)+2)
		if r.bar != "" {
			widest = max(widest, lipgloss.Width(r.bar)+2+lipgloss.Width(r.text))
		}
	}
	bars := o.Width >= barless && column+widest <= o.Width
	indent := strings.Repeat(" ", column)
	stacked := o.Width-column < 12
	if stacked {
		indent = strings.Repeat(" ", min(2, o.Width-2))
	}
	var lines []string
	for _, r := range rows {
		first := o.wrap(glue(r.text), indent, r.tone)
		if bars && r.bar != "" {
			first = []string{indent + o.paint(r.bar, cmp.Or(r.tone, toneFine)) + "  " + o.paint(r.text, r.tone)}
		}
		if stacked {
			lines = append(lines, o.wrap(r.label, "", tonePlain)...)
		} else {
			pad := strings.Repeat(" ", column-lipgloss.Width(r.label))
			first[0] = r.label + pad + strings.TrimPrefix(first[0], indent)
		}
		lines = append(lines, first...)
		if r.under != "" {
			lines = append(lines, o.wrap(glue(r.under), indent, toneFaint)...)
		}
	}
	return lines
}

const noBreak = "\u00a0"

// glue keeps a percentage and a time in brackets on one line.
func glue(text string) string {
	before, inside, _ := strings.Cut(text, "(")
	before = strings.ReplaceAll(before, " %", noBreak+"%")
	if inside == "" {
		return before
	}
	return before + "(" + strings.ReplaceAll(inside, " ", noBreak)
}

// wrap breaks a text into lines behind an indent; each line is painted by
// itself, so that none leaves a colour open.
func (o TextOptions) wrap(text, indent string, t tone) []string {
	wrapped := ansi.Wrap(text, max(1, o.Width-lipgloss.Width(indent)), "")
	lines := strings.Split(wrapped, "\n")
	for i, line := range lines {
		lines[i] = indent + o.paint(strings.TrimRight(strings.ReplaceAll(line, noBreak, " "), " "), t)
	}
	return lines
}

var tones = map[tone]lipgloss.Style{
	toneFine:     lipgloss.NewStyle().Foreground(lipgloss.Green),
	toneLow:      lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	toneCritical: lipgloss.NewStyle().Foreground(lipgloss.Red),
	toneFaint:    lipgloss.NewStyle().Faint(true),
}

func (o TextOptions) paint(text string, t tone) string {
	if !o.Colour || text == "" || t == tonePlain {
		return text
	}
	return tones[t].Render(text)
}
