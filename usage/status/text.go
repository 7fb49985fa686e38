package status

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// TextOptions are the preferences of the reader and the abilities of the terminal.
type TextOptions struct {
	words.Words

	// Width is the terminal's, in columns; no line is wider.
	Width int
	// Colour adds escape sequences. They carry no information that the words lack.
	Colour bool
}

// textOf is all plans for people: a block for each, with an empty line between them. A
// plan alone that has no figures needs no heading.
func textOf(all poll.Plans, o TextOptions) string {
	o.Width = max(o.Width, 2)
	headings := all.Headings()
	blocks := make([]string, len(all))
	for i, s := range all {
		sentence := s.Sentence(o.Words)
		if source := s.Snapshot.Source; sentence == "" && source.Kind == usage.KindCloud {
			sentence = "From " + source.Host + ", " + words.Ago(s.Age()) + "."
		}
		if sentence != "" {
			sentence = strings.Join(o.wrap(sentence, "", words.TonePlain), "\n") + "\n"
		}
		switch {
		case !s.HasFigures() && len(all) > 1:
			blocks[i] = o.heading(headings[i]) + "\n" + sentence
		case !s.HasFigures():
			blocks[i] = sentence
		case sentence == "":
			blocks[i] = o.figures(headings[i], s.Snapshot)
		default:
			blocks[i] = o.figures(headings[i], s.Snapshot) + "\n" + sentence
		}
	}
	return strings.Join(blocks, "\n")
}

// figures are a line or two for each meter of a judged snapshot, then notices and
// problems as sentences. They end with a line break.
func (o TextOptions) figures(heading string, s usage.Snapshot) string {
	lines := []string{o.heading(heading)}
	if s.Billing == usage.BillingUnlimited {
		lines = append(lines, o.wrap("Unlimited", "", words.TonePlain)...)
	}
	lines = append(lines, o.table(o.Lines(s))...)
	for i, sentence := range o.Sentences(s) {
		if i == 0 {
			lines = append(lines, "")
		}
		lines = append(lines, o.wrap(sentence, "", words.TonePlain)...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (o TextOptions) heading(text string) string {
	text = ansi.Truncate(text, o.Width, "…")
	if !o.Colour {
		return text
	}
	return ansi.NewStyle().Bold().Styled(text)
}

// A narrower terminal has no room for bars.
const barless = 50

// table sets the rows in columns. When room runs short, first the bars go, then lines
// wrap, then the labels get lines of their own.
func (o TextOptions) table(rows []words.Line) []string {
	column, widest := 0, 0
	for _, r := range rows {
		column = max(column, ansi.StringWidth(r.Label)+2)
		if r.Bar != "" {
			widest = max(widest, ansi.StringWidth(r.Bar)+2+ansi.StringWidth(r.Text))
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
		first := o.wrap(glue(r.Text), indent, r.Tone)
		if bars && r.Bar != "" {
			first = []string{indent + o.paint(r.Bar, cmp.Or(r.Tone, words.ToneFine)) + "  " + o.paint(r.Text, r.Tone)}
		}
		if stacked {
			lines = append(lines, o.wrap(r.Label, "", words.TonePlain)...)
		} else {
			pad := strings.Repeat(" ", column-ansi.StringWidth(r.Label))
			first[0] = r.Label + pad + strings.TrimPrefix(first[0], indent)
		}
		lines = append(lines, first...)
		tone := words.ToneFaint
		if r.Pace != "" {
			tone = r.PaceTone // the first line has it
		}
		for _, below := range r.Below(o.Width - ansi.StringWidth(indent)) {
			lines = append(lines, o.wrap(glue(below), indent, tone)...)
			tone = words.ToneFaint
		}
	}
	return lines
}

const noBreak = "\u00a0"

// glue prevents breaks within a percentage, a duration, odds and a time in brackets.
func glue(text string) string {
	return together.ReplaceAllStringFunc(text, func(match string) string {
		return strings.ReplaceAll(match, " ", noBreak)
	})
}

var together = regexp.MustCompile(`\([^)]*\)| %|[0-9][dh] [0-9]|[0-9] in 10`)

// wrap breaks a text into lines after an indent. Each line is painted separately, so
// that none leaves a colour open.
func (o TextOptions) wrap(text, indent string, t words.Tone) []string {
	wrapped := ansi.Wrap(text, max(1, o.Width-ansi.StringWidth(indent)), "")
	lines := strings.Split(wrapped, "\n")
	for i, line := range lines {
		lines[i] = indent + o.paint(strings.TrimRight(strings.ReplaceAll(line, noBreak, " "), " "), t)
	}
	return lines
}

var tones = map[words.Tone]ansi.Style{
	words.ToneFine:     ansi.NewStyle().ForegroundColor(ansi.Green),
	words.ToneLow:      ansi.NewStyle().ForegroundColor(ansi.Yellow),
	words.ToneCritical: ansi.NewStyle().ForegroundColor(ansi.Red),
	words.ToneFaint:    ansi.NewStyle().Faint(),
}

func (o TextOptions) paint(text string, t words.Tone) string {
	if !o.Colour || text == "" || t == words.TonePlain {
		return text
	}
	return tones[t].Styled(text)
}
