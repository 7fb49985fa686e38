package chat

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// shownItems is how many rows a person is shown before they are asked; --dry-run
// shows all.
const shownItems = 20

// planText tells a plan: how many, what they take, which, and what stays.
func planText(plan CleanPlan, app string, width, rows int) string {
	var text strings.Builder
	if plan.FilesOnly {
		text.WriteString(cleanWrap("The language server of "+app+" does not list its cascades. Their files are all that is known of "+
			"them: not their titles, and not which of them run or are archived already.", width) + "\n\n")
	}
	switch {
	case len(plan.Items) > 0:
		text.WriteString(planHead(plan, app) + "\n\n")
		text.WriteString(itemTable(plan, width, rows) + "\n")
	case plan.Kept.total() == 0:
		return text.String() + "There are no cascades in " + app + ".\n"
	default:
		text.WriteString("There is nothing to clean up in " + app + ".\n")
	}
	if kept := keptWords(plan.Kept); kept != "" {
		text.WriteString(cleanWrap("Kept: "+kept+".", width) + "\n")
	}
	return text.String()
}

func planHead(plan CleanPlan, app string) string {
	head := counted(len(plan.Items), "cascade") + " in " + app + " to archive, not touched for " + ageWords(plan.Rules.OlderThan)
	if plan.Rules.OlderThan < time.Hour {
		head = counted(len(plan.Items), "cascade") + " in " + app + " to archive"
	}
	switch bytes, unknown := plan.Bytes(); unknown {
	case 0:
		return head + ". On disk: " + sizeWords(bytes) + "."
	case len(plan.Items):
		return head + ". What they take on disk is not known."
	default:
		return head + ". On disk: " + sizeWords(bytes) + ", and " + counted(unknown, "file") + " of unknown size."
	}
}

func keptWords(k CleanKept) string {
	var parts []string
	for _, part := range []struct {
		n     int
		words string
	}{
		{k.Running, "running"},
		{k.Archived, "archived already"},
		{k.Hidden, "hidden"},
		{k.Newest, "among the newest"},
		{k.Recent, "touched since"},
		{k.UnknownTime, "of unknown time"},
		{k.UnusableID, "with an id that is none"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.words))
		}
	}
	return strings.Join(parts, ", ")
}

// itemTable has a row for each item, the oldest first, and cuts titles off where
// they do not fit.
func itemTable(plan CleanPlan, width, rows int) string {
	items := plan.Items[:min(rows, len(plan.Items))]
	cells := make([][4]string, 0, 1+len(items))
	cells = append(cells, [4]string{"Title", "Workspace", "Touched", "Size"})
	for _, item := range items {
		size := "unknown"
		if item.BytesKnown {
			size = sizeWords(item.Bytes)
		}
		age := ageWords(plan.At.Sub(item.LastTouched)) + " ago"
		cells = append(cells, [4]string{item.Title, item.Workspace, age, size})
	}
	var widths [4]int
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	widths[1] = min(widths[1], 24)
	widths[0] = min(widths[0], 60, max(12, width-widths[1]-widths[2]-widths[3]-6))
	var text strings.Builder
	for _, row := range cells {
		line := cleanCell(row[0], widths[0]) + "  " + cleanCell(row[1], widths[1]) + "  " +
			cleanCell(row[2], widths[2]) + "  " + strings.Repeat(" ", widths[3]-lipgloss.Width(row[3])) + row[3]
		text.WriteString(ansi.Truncate(line, width, "…") + "\n")
	}
	if more := len(plan.Items) - rows; more > 0 {
		text.WriteString(cleanWrap("… and "+counted(more, "more cascade")+", which windsock clean --dry-run lists.", width) + "\n")
	}
	return text.String()
}

func cleanCell(cell string, width int) string {
	cell = ansi.Truncate(cell, width, "…")
	return cell + strings.Repeat(" ", width-lipgloss.Width(cell))
}

func cleanWrap(text string, width int) string { return ansi.Wrap(text, width, "") }

// resultText tells what a run has done.
func resultText(result CleanResult) string {
	var text strings.Builder
	switch n := len(result.Archived); {
	case n == 0:
		text.WriteString("Nothing was archived.")
	case !result.BytesKnown:
		text.WriteString("Archived " + counted(n, "cascade") + ". What that has freed on disk is not known.")
	case result.BytesFreed == 0:
		text.WriteString("Archived " + counted(n, "cascade") + ". So far that has freed nothing on disk.")
	default:
		text.WriteString("Archived " + counted(n, "cascade") + ", which has freed " + sizeWords(result.BytesFreed) + " on disk.")
	}
	if result.Changed > 0 {
		fmt.Fprintf(&text, " %d had changed since and stayed.", result.Changed)
	}
	if len(result.Archived) > 0 {
		text.WriteString(" To take that back: windsock clean --undo")
	}
	return text.String() + "\n"
}

// undoText tells what an undo has done.
func undoText(result UndoResult) string {
	text := "Nothing was put back."
	if n := len(result.Restored); n > 0 {
		text = counted(n, "cascade") + " put back."
	}
	if n := len(result.Gone); n > 0 {
		text += fmt.Sprintf(" %d not there any more.", n)
	}
	return text + "\n"
}

// failureText names what stayed as it was.
func failureText(did string, failed []CleanFailure) string {
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
