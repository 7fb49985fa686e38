package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/chat/clean"
)

// shownItems is how many rows are shown before the question; --dry-run shows all.
const (
	shownItems = 20
	dryRunHint = ", which windsock clean --dry-run lists"
)

// planView says how a plan is shown.
type planView struct {
	// width is the terminal's, and rows are the most rows shown.
	width, rows int
	// hint tells where to see the others.
	hint string
}

// planText words a plan: the number, the disk space, the list, and what stays.
func planText(plan clean.Plan, app string, view planView) string {
	var text strings.Builder
	if plan.FilesOnly {
		text.WriteString(cleanWrap("The language server of "+app+" does not list its cascades. Their files are all that is known of "+
			"them: not their titles, and not which of them run or are archived already.", view.width) + "\n\n")
	}
	switch {
	case len(plan.Items) > 0:
		text.WriteString(cleanWrap(planHead(plan, app), view.width) + "\n\n")
		text.WriteString(itemTable(plan, view) + "\n")
	case plan.Kept.Total() == 0:
		return text.String() + "There are no cascades in " + app + ".\n"
	default:
		text.WriteString("There is nothing to clean up in " + app + ".\n")
	}
	if kept := keptWords(plan.Kept); kept != "" {
		text.WriteString(cleanWrap("Kept: "+kept+".", view.width) + "\n")
	}
	return text.String()
}

func planHead(plan clean.Plan, app string) string {
	head := clean.Counted(len(plan.Items), "cascade") + " in " + app + " to archive, not touched for " + clean.AgeWords(plan.Rules.OlderThan)
	if plan.Rules.OlderThan < time.Hour {
		head = clean.Counted(len(plan.Items), "cascade") + " in " + app + " to archive"
	}
	switch bytes, unknown := plan.Bytes(); unknown {
	case 0:
		return head + ". On disk: " + clean.SizeWords(bytes) + "."
	case len(plan.Items):
		return head + ". What they take on disk is not known."
	default:
		return head + ". On disk: " + clean.SizeWords(bytes) + ", and " + clean.Counted(unknown, "file") + " of unknown size."
	}
}

func keptWords(k clean.Kept) string {
	reasons := k.Reasons()
	parts := make([]string, 0, len(reasons))
	for _, r := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", r.Count, r.Words))
	}
	return strings.Join(parts, ", ")
}

// itemTable has a row for each item, the oldest first. Titles without room are cut.
func itemTable(plan clean.Plan, view planView) string {
	items := plan.Items[:min(view.rows, len(plan.Items))]
	cells := make([][4]string, 0, 1+len(items))
	cells = append(cells, [4]string{"Title", "Workspace", "Touched", "Size"})
	for _, item := range items {
		age := clean.AgeWords(plan.At.Sub(item.LastTouched)) + " ago"
		cells = append(cells, [4]string{item.Title, item.Workspace, age, item.SizeWords()})
	}
	var widths [4]int
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	gaps := 6
	if widths[1] = min(widths[1], 24); view.width < 70 {
		widths[1], gaps = 0, 4 // the title gets its room
	}
	widths[0] = min(widths[0], 60, max(12, view.width-widths[1]-widths[2]-widths[3]-gaps))
	var text strings.Builder
	for _, row := range cells {
		line := cleanCell(row[0], widths[0]) + "  "
		if widths[1] > 0 {
			line += cleanCell(row[1], widths[1]) + "  "
		}
		line += cleanCell(row[2], widths[2]) + "  " + strings.Repeat(" ", widths[3]-ansi.StringWidth(row[3])) + row[3]
		text.WriteString(ansi.Truncate(line, view.width, "…") + "\n")
	}
	if more := len(plan.Items) - view.rows; more > 0 {
		text.WriteString(cleanWrap("… and "+clean.Counted(more, "more cascade")+view.hint+".", view.width) + "\n")
	}
	return text.String()
}

func cleanCell(cell string, width int) string {
	cell = ansi.Truncate(cell, width, "…")
	return cell + strings.Repeat(" ", width-ansi.StringWidth(cell))
}

func cleanWrap(text string, width int) string { return ansi.Wrap(text, width, "") }

// failureText names the cascades that failed.
func failureText(did string, failed []clean.Failure) string {
	var text strings.Builder
	for _, f := range failed {
		name := f.CascadeID
		if f.Title != "" {
			name = ansi.Truncate(f.Title, 60, "…") + " (" + f.CascadeID + ")"
		}
		text.WriteString("windsock: " + name + " was not " + did + ": " + f.Message + "\n")
	}
	return text.String()
}
