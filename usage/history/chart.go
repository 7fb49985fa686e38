package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"windsock/usage"
	"windsock/usage/words"
)

// The rules of the chart: a column is a day, or as many days as it takes to have
// room for all. Its height is what was used, and anything that was used has a
// height. No use is a dot, and a day on which nothing was seen is empty: not known
// is not none. Colour says nothing that the shape does not say.

// chartRows is the height of a chart, in lines; a line has eight steps.
const chartRows = 5

var (
	barStyle   = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	faintStyle = lipgloss.NewStyle().Faint(true)
	titleStyle = lipgloss.NewStyle().Bold(true)
)

// charts draws the use of each meter from one date to another.
func charts(days []Day, first, last string, width int) string {
	byID := map[usage.MeterID][]Day{}
	var meters []usage.MeterID
	for _, d := range days {
		if byID[d.Meter] == nil {
			meters = append(meters, d.Meter)
		}
		byID[d.Meter] = append(byID[d.Meter], d)
	}
	slices.SortFunc(meters, byMeter)
	dates := calendar(first, last)
	parts := make([]string, 0, len(meters)+1)
	for _, m := range meters {
		parts = append(parts, chart(byID[m], dates, width))
	}
	if slices.ContainsFunc(meters, func(m usage.MeterID) bool { return len(byID[m]) < len(dates) }) {
		parts = append(parts, wrapped(faintStyle, "A dot is a day on which nothing was used; an empty one was not seen.", width))
	}
	return strings.Join(parts, "\n")
}

// calendar are all dates from one to another.
func calendar(first, last string) []string {
	from, err := time.Parse(dateFormat, first)
	to, err2 := time.Parse(dateFormat, last)
	if err != nil || err2 != nil {
		return nil
	}
	var dates []string
	for t := from; !t.After(to) && len(dates) <= maxDays; t = t.AddDate(0, 0, 1) {
		dates = append(dates, t.Format(dateFormat))
	}
	return dates
}

// column is one or more days.
type column struct {
	date string
	used int64
	seen bool
}

// columnsOf spreads the use of days over columns of so many days each.
func columnsOf(days []Day, dates []string, each int) []column {
	used := map[string]int64{}
	for _, d := range days {
		used[d.Date], _ = d.Used.Micros()
	}
	var columns []column
	for i, date := range dates {
		if i%each == 0 {
			columns = append(columns, column{date: date})
		}
		c := &columns[len(columns)-1]
		if n, seen := used[date]; seen {
			c.used, c.seen = saturated(c.used, n), true
		}
	}
	return columns
}

func saturated(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}

func chart(days []Day, dates []string, width int) string {
	unit, name := days[0].Unit, days[0].Meter.Info().Label
	var sum, most int64
	var when string
	for _, d := range days {
		used, _ := d.Used.Micros()
		sum = saturated(sum, used)
		if used > most {
			most, when = used, d.Date
		}
	}
	amount := func(micros int64) string { return words.Short(usage.Micros(micros), unit) }
	summary := fmt.Sprintf("Used %s on %s that %s seen", amount(sum), plural(len(days), "day"), wasWere(len(days)))
	if most == 0 {
		return wrapped(titleStyle, name, width) + wrapped(faintStyle, fmt.Sprintf("Nothing used on %s that %s seen", plural(len(days), "day"), wasWere(len(days))), width)
	}
	if len(days) > 1 {
		summary += fmt.Sprintf(", %s a day, at most %s on %s", amount(sum/int64(len(days))), amount(most), shortDate(when))
	}
	text := wrapped(titleStyle, name, width)
	if plot := plot(days, dates, width, amount); plot != "" {
		text += plot
	}
	return text + wrapped(faintStyle, summary, width)
}

// plot is the drawing itself, "" where there is no room for one.
func plot(days []Day, dates []string, width int, amount func(int64) string) string {
	// The figure at the axis grows with the days of a column, and its room with it.
	each := 1
	columns, most, axis := fitted(days, dates, each, amount)
	room := width - axis - 2
	for room >= minRoom && len(columns) > room {
		each = max(each+1, (len(dates)+room-1)/room)
		columns, most, axis = fitted(days, dates, each, amount)
		room = width - axis - 2
	}
	if room < minRoom || len(columns) == 0 {
		return ""
	}
	gap := ""
	if 2*len(columns) <= room {
		gap = " "
	}
	var text strings.Builder
	for row := chartRows - 1; row >= 0; row-- {
		mark := ""
		if row == chartRows-1 {
			mark = amount(most)
		}
		text.WriteString(faintStyle.Render(strings.Repeat(" ", axis-lipgloss.Width(mark))+mark+" │") + bars(columns, most, row, gap) + "\n")
	}
	text.WriteString(faintStyle.Render(strings.Repeat(" ", axis-1)+"0 └"+strings.Repeat("─", len(columns)*(1+len(gap)))) + "\n")
	text.WriteString(faintStyle.Render(strings.Repeat(" ", axis+2)+ticks(columns, 1+len(gap), room)) + "\n")
	if each > 1 {
		text.WriteString(wrapped(faintStyle, fmt.Sprintf("A column is %d days.", each), width))
	}
	return text.String()
}

// minRoom is what a drawing has to have, in columns of the terminal.
const minRoom = 10

// fitted are columns of so many days, the highest of them, and the width of that
// figure.
func fitted(days []Day, dates []string, each int, amount func(int64) string) (columns []column, most int64, axis int) {
	columns = columnsOf(days, dates, each)
	for _, c := range columns {
		most = max(most, c.used)
	}
	return columns, most, lipgloss.Width(amount(most))
}

// bars is one line of the drawing.
func bars(columns []column, most int64, row int, gap string) string {
	const steps = " ▁▂▃▄▅▆▇█"
	var line strings.Builder
	for _, c := range columns {
		height := 0
		if c.used > 0 {
			height = max(1, int(float64(c.used)/float64(most)*chartRows*8+0.5))
		}
		cell := string([]rune(steps)[min(8, max(0, height-8*row))])
		if row == 0 && c.seen && c.used == 0 {
			cell = "·"
		}
		line.WriteString(cell + gap)
	}
	text := strings.TrimRight(line.String(), " ")
	if text == "" {
		return ""
	}
	return barStyle.Render(text)
}

// ticks are the dates below the columns, as many as have room.
func ticks(columns []column, each, room int) string {
	var line strings.Builder
	end := 0
	for i, c := range columns {
		at := i * each
		text := shortDate(c.date)
		if (i > 0 && at < end+2) || at+len(text) > room {
			continue
		}
		line.WriteString(strings.Repeat(" ", at-end) + text)
		end = at + len(text)
	}
	return line.String()
}

// shortDate is a date without its year.
func shortDate(date string) string {
	t, err := time.Parse(dateFormat, date)
	if err != nil {
		return date
	}
	return t.Format("2 Jan")
}

// wrapped breaks a text into lines, each painted by itself.
func wrapped(style lipgloss.Style, text string, width int) string {
	var lines strings.Builder
	for line := range strings.SplitSeq(lineBreaks(text, width), "\n") {
		lines.WriteString(style.Render(line) + "\n")
	}
	return lines.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
