package cli

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"windsock/chat"
)

var (
	modelHead  = lipgloss.NewStyle().Bold(true)
	modelFaint = lipgloss.NewStyle().Faint(true)
)

// modelRow is a model as a table has it.
type modelRow struct {
	label, credits, uid, marks string
	disabled                   bool
}

// modelTable is the models in columns, the disabled ones faint at the end if all
// are wanted or there are no others.
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
	switch {
	case all || len(rows) == 0:
		return modelColumns(slices.Concat(rows, disabled), width)
	case len(disabled) == 0:
		return modelColumns(rows, width)
	case len(disabled) == 1:
		return modelColumns(rows, width) + "\n" + modelLines("One more is disabled; --all shows it, and why.", width, "")
	default:
		return modelColumns(rows, width) + "\n" + modelLines(strconv.Itoa(len(disabled))+" more are disabled; --all shows them, and why.", width, "")
	}
}

// modelColumns are the rows beside each other. The UIDs go first when marks have
// not enough room, since a label names a model as well; then each model gets
// lines of its own.
func modelColumns(rows []modelRow, width int) string {
	rows = slices.Insert(slices.Clone(rows), 0, modelRow{label: "Model", credits: "Credits", uid: "UID"})
	var label, price, uid, end int
	for _, r := range rows {
		label, price = max(label, lipgloss.Width(r.label)), max(price, lipgloss.Width(r.credits))
		uid, end = max(uid, lipgloss.Width(r.uid)), max(end, lipgloss.Width(r.marks))
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
		id := ""
		if withUID {
			id = "  " + r.uid + modelPad(uid, r.uid)
		}
		name := r.label + modelPad(label, r.label) + "  " + modelPad(price, r.credits) + r.credits
		for j, line := range markLines(r.marks, width-left-2) {
			switch {
			case j > 0:
				text.WriteString(modelTint(i, r, strings.Repeat(" ", left)+line))
			case i == 0 || r.disabled:
				text.WriteString(modelTint(i, r, strings.TrimRight(name+id+line, " ")))
			case strings.TrimSpace(id) == "":
				text.WriteString(strings.TrimRight(name+id+line, " "))
			default:
				id, blanks := strings.TrimRight(id, " "), id[len(strings.TrimRight(id, " ")):]
				text.WriteString(name + modelFaint.Render(id) + strings.TrimRight(blanks+line, " "))
			}
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// markLines breaks marks into lines behind two blanks, one at least.
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

// modelTint paints a line of the head or of a disabled model.
func modelTint(i int, r modelRow, line string) string {
	switch {
	case i == 0:
		return modelHead.Render(line)
	case r.disabled:
		return modelFaint.Render(line)
	default:
		return line
	}
}

func modelPad(width int, cell string) string { return strings.Repeat(" ", width-lipgloss.Width(cell)) }

func modelsBelow(rows []modelRow, width int) string {
	var text strings.Builder
	for _, r := range rows {
		price := r.credits
		if r.marks != "" {
			price += ", " + r.marks
		}
		lines := modelLines(r.label, width, "") + modelLines(price, width, "  ")
		if !r.disabled {
			text.WriteString(lines)
			continue
		}
		for line := range strings.Lines(lines) {
			text.WriteString(modelFaint.Render(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	return text.String()
}

// modelLines breaks a text into lines behind an indent. (ansi.Wrap v0.11.8 leaves
// what follows a hyphen whole.)
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

// modelMarks are what is special about a model.
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
		if m.Reason != "" {
			mark += ": " + m.Reason
		} else if m.Detail != "" {
			mark += ": " + m.Detail
		}
		list = append(list, mark)
	}
	return list
}
