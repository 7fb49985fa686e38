package history

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// quarters name the moments of [Window.Said].
var quarters = [...]string{"25", "50", "75"}

// windowFields are schema 1 of `history --windows --json`, as sampleFields are.
var windowFields = func() []field[Window] {
	fields := []field[Window]{
		{"meter", false, func(w Window) string { return string(w.Meter) }},
		{"unit", false, func(w Window) string { return string(w.Unit) }},
		{"window_start", false, func(w Window) string { return timestamp(w.Start) }},
		{"resets_at", false, func(w Window) string { return timestamp(w.End) }},
		{"used", true, func(w Window) string { return decimal(w.Used, w.Unit) }},
		{"total", true, func(w Window) string { return decimal(w.Total, w.Unit) }},
		{"used_up_at", false, func(w Window) string { return timestamp(w.UsedUp) }},
	}
	for i, quarter := range quarters {
		said := func(name string, number bool, of func(usage.Pace) string) {
			fields = append(fields, field[Window]{name + "_" + quarter, number, func(w Window) string {
				if w.Said[i] == nil {
					return ""
				}
				return of(*w.Said[i])
			}})
		}
		percent := func(of func(usage.Pace) usage.Amount) func(usage.Pace) string {
			return func(p usage.Pace) string {
				if a := of(p); a.Known() {
					return a.Decimal(1)
				}
				return ""
			}
		}
		said("verdict", false, func(p usage.Pace) string { return string(p.Verdict) })
		said("projected_percent", true, percent(func(p usage.Pace) usage.Amount { return p.Projected }))
		said("low_percent", true, percent(func(p usage.Pace) usage.Amount { return p.Low }))
		said("high_percent", true, percent(func(p usage.Pace) usage.Amount { return p.High }))
		said("lasts_percent", true, percent(func(p usage.Pace) usage.Amount { return p.Chance }))
	}
	return append(fields, field[Window]{"plan", false, func(w Window) string { return w.Plan }})
}()

func (c *historyCommand) showWindows(ctx context.Context, out io.Writer, store *Store, since time.Time) error {
	options, err := c.pace()
	if err != nil {
		return err
	}
	windows, err := store.Windows(ctx, since, options)
	windows = slices.DeleteFunc(windows, func(w Window) bool { return !planMeans(c.plan, w.Plan) })
	switch {
	case err != nil:
		return err
	case c.csv:
		return writeCSV(out, windowFields, windows)
	case c.json:
		return writeJSON(out, "windows", windowFields, windows)
	case len(windows) == 0:
		return c.write(out, "No window that was seen ended in that time.\n")
	}
	width, _ := c.width(out)
	text := eachOf(windows, func(w Window) string { return w.Plan }, width, func(windows []Window) string { return c.windowTables(windows, width) })
	return c.write(out, text+"\n"+wrapped(faintStyle, outcome(windows), width))
}

// windowTables has a table for each meter, one below the other.
func (c *historyCommand) windowTables(windows []Window, width int) string {
	var meters []usage.MeterID
	rows := map[usage.MeterID][][]string{}
	for _, w := range windows {
		if rows[w.Meter] == nil {
			meters = append(meters, w.Meter)
			rows[w.Meter] = [][]string{{"Until", "at ¼", "at ½", "at ¾", "came"}}
		}
		row := []string{w.End.In(c.location).Format("2006-01-02 15:04")}
		for _, p := range w.Said {
			row = append(row, said(p))
		}
		rows[w.Meter] = append(rows[w.Meter], append(row, c.came(w)))
	}
	slices.SortFunc(meters, byMeter)
	parts := make([]string, 0, len(meters))
	for _, m := range meters {
		text, fits := terminal.Columns(rows[m], width)
		if !fits {
			text = oneBelowTheOther(rows[m], width)
		}
		parts = append(parts, wrapped(titleStyle, m.Info().Label, width)+text)
	}
	return strings.Join(parts, "\n")
}

// came is what came of a window.
func (c *historyCommand) came(w Window) string {
	switch used := words.Short(w.Used, w.Unit); {
	case !w.Lasted():
		return "used up on " + w.UsedUp.In(c.location).Format("2006-01-02 15:04")
	case w.Unit == usage.UnitPercent:
		return used + " used"
	default:
		return used + " of " + words.Short(w.Total, w.Unit) + " used"
	}
}

// oneBelowTheOther shows each row as lines of their own.
func oneBelowTheOther(rows [][]string, width int) string {
	var text strings.Builder
	for _, row := range rows[1:] {
		for i, cell := range row {
			text.WriteString(rows[0][i] + ": " + cell + "\n")
		}
	}
	return terminal.Wrap(text.String(), width)
}

// said is what a pace said, in few letters: the odds to last.
func said(p *usage.Pace) string {
	if p == nil {
		return unseen
	}
	if chance, ok := p.Chance.Float(); ok {
		return fmt.Sprintf("%s %d in 10", words.Glyph(p.Verdict), min(9, max(1, int(chance/10+0.5))))
	}
	return words.Glyph(p.Verdict) + " " + strings.ReplaceAll(string(p.Verdict), "_", " ")
}

// outcome is what came of all odds, in a sentence.
func outcome(windows []Window) string {
	var chance float64
	var looks, lasted int
	for _, w := range windows {
		for _, p := range w.Said {
			if p == nil || !p.Chance.Known() {
				continue
			}
			percent, _ := p.Chance.Float()
			chance += percent
			looks++
			if w.Lasted() {
				lasted++
			}
		}
	}
	if looks == 0 {
		return "Said are the odds to last, at a quarter, half and three quarters of a window."
	}
	return fmt.Sprintf("Said are the odds to last, at a quarter, half and three quarters of a window. On average they were %.0f in 100, and %.0f in 100 lasted.",
		chance/float64(looks), 100*float64(lasted)/float64(looks))
}
