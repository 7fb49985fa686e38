package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/chat"
)

var (
	modelHead  = ansi.NewStyle().Bold()
	modelFaint = ansi.NewStyle().Faint()
)

// modelRow is a model in the table.
type modelRow struct {
	label, credits, uid, marks string
	disabled                   bool
}

// modelTable lists the models in columns. Disabled ones are faint and last; they are
// shown if all are wanted or there are no others.
func modelTable(shown chat.Catalogue, chosen modelChoice, all bool, width int) string {
	var rows, disabled []modelRow
	for _, m := range shown.Models {
		r := modelRow{label: m.Label, credits: m.Price(), marks: strings.Join(modelMarks(m, chosen), ", "), disabled: m.Disabled}
		if m.Storable() {
			r.uid = m.UID
		}
		if m.Disabled {
			disabled = append(disabled, r)
		} else {
			rows = append(rows, r)
		}
	}
	if all || len(rows) == 0 {
		rows, disabled = slices.Concat(rows, disabled), nil
	}
	text := modelColumns(rows, width)
	switch n := len(disabled); {
	case n == 1:
		text += "\n" + modelLines("One more is disabled; --all shows it, and why.", width, "")
	case n > 1:
		text += "\n" + modelLines(strconv.Itoa(n)+" more are disabled; --all shows them, and why.", width, "")
	}
	return text
}

// modelColumns puts the rows' fields side by side. If the marks lack room, it first
// drops the UIDs, since a label names a model as well; then each model gets lines of
// its own.
func modelColumns(rows []modelRow, width int) string {
	rows = slices.Insert(slices.Clone(rows), 0, modelRow{label: "Model", credits: "Credits", uid: "UID"})
	var label, price, uid, end int
	for _, r := range rows {
		label, price = max(label, ansi.StringWidth(r.label)), max(price, ansi.StringWidth(r.credits))
		uid, end = max(uid, ansi.StringWidth(r.uid)), max(end, ansi.StringWidth(r.marks))
	}
	if end > 0 {
		end = min(end, 24) + 2 // longer ones wrap
	}
	left := label + 2 + price
	withUID := left+2+uid+end <= width
	switch {
	case withUID:
		left += 2 + uid
	case left+end > width:
		return modelsBelow(rows[1:], width)
	}
	var text strings.Builder
	for i, r := range rows {
		line, id := plain, modelFaint.Styled
		switch {
		case i == 0:
			line, id = modelHead.Styled, plain
		case r.disabled:
			line, id = modelFaint.Styled, plain
		}
		first := r.label + modelPad(label, r.label) + "  " + modelPad(price, r.credits) + r.credits
		if withUID {
			if first += "  "; r.uid != "" {
				first += id(r.uid)
			}
			first += modelPad(uid, r.uid)
		}
		for j, marks := range markLines(r.marks, width-left-2) {
			if j > 0 {
				first = strings.Repeat(" ", left)
			}
			text.WriteString(line(strings.TrimRight(first+marks, " ")) + "\n")
		}
	}
	return text.String()
}

func plain(text string) string { return text }

// markLines breaks marks into at least one line, each behind two blanks.
func markLines(marks string, room int) []string {
	if marks == "" {
		return []string{""}
	}
	lines := strings.Split(strings.TrimSuffix(modelLines(marks, room, ""), "\n"), "\n")
	for i, line := range lines {
		lines[i] = "  " + line
	}
	return lines
}

func modelPad(width int, cell string) string {
	return strings.Repeat(" ", width-ansi.StringWidth(cell))
}

func modelsBelow(rows []modelRow, width int) string {
	var text strings.Builder
	for _, r := range rows {
		price := r.credits
		if r.marks != "" {
			price += ", " + r.marks
		}
		style := plain
		if r.disabled {
			style = modelFaint.Styled
		}
		for line := range strings.Lines(modelLines(r.label, width, "") + modelLines(price, width, "  ")) {
			text.WriteString(style(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	return text.String()
}

// modelLines breaks a text into indented lines. (ansi.Wrap v0.11.8 does not break
// after a hyphen.)
func modelLines(text string, width int, indent string) string {
	width = max(width, 2)
	indent = indent[:min(len(indent), width-2)]
	room := width - len(indent)
	var lines strings.Builder
	for line := range strings.SplitSeq(ansi.Hardwrap(ansi.Wrap(text, room, ""), room, false), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines.WriteString(indent + line + "\n")
		}
	}
	return lines.String()
}

// modelMarks are a model's special properties.
func modelMarks(m chat.Model, chosen modelChoice) []string {
	var list []string
	add := func(holds bool, mark string) {
		if holds {
			list = append(list, mark)
		}
	}
	add(chosen.is(m), "default")
	add(m.New, "new")
	add(m.Recommended, "recommended")
	add(m.Beta, "beta")
	add(m.CapacityLimited && !m.Disabled, "limited capacity")
	if m.Promotion != nil && !m.Disabled {
		mark := "promotion"
		if m.Promotion.Label != "" {
			mark += ": " + m.Promotion.Label
		}
		list = append(list, mark)
	}
	if m.Disabled {
		mark := "disabled"
		if why := cmp.Or(m.Reason, m.Detail); why != "" {
			mark += ": " + why
		}
		list = append(list, mark)
	}
	return list
}
