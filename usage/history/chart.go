package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// The rules of the chart: a column is one day, or several when there are too many days.
// Its height is the use, and any use has a height. No use is a dot, and a day without
// samples is empty. Colour adds no information.

// chartRows is the height of a chart, in lines; a line has eight steps.
const chartRows = 5

var (
	barStyle   = ansi.NewStyle().ForegroundColor(ansi.Cyan)
	faintStyle = ansi.NewStyle().Faint()
	titleStyle = ansi.NewStyle().Bold()
)

// charts draws the use of each meter of each plan since a day.
func charts(days []Day, since, now time.Time, width int) string {
	gaps := false
	text := eachPlan(days, width, func(days []Day) string {
		drawn, gap := chartsOf(days, since, now, width)
		gaps = gaps || gap
		return drawn
	})
	if gaps {
		text += "\n" + wrapped(faintStyle, "A dot is a day on which nothing was used; an empty one was not seen.", width)
	}
	return text
}

// chartsOf draws the use of each meter of one plan, from the first day with samples.
// gaps reports whether a meter was not seen on every day.
func chartsOf(days []Day, since, now time.Time, width int) (text string, gaps bool) {
	first := max(since.Format(dateFormat), days[0].Date)
	last := max(now.Format(dateFormat), days[len(days)-1].Date)
	byID := map[usage.MeterID][]Day{}
	for _, d := range days {
		byID[d.Meter] = append(byID[d.Meter], d)
	}
	dates := calendar(first, last)
	parts := make([]string, 0, len(byID))
	for _, m := range slices.SortedFunc(maps.Keys(byID), byMeter) {
		parts = append(parts, chart(byID[m], dates, width))
		gaps = gaps || len(byID[m]) < len(dates)
	}
	return strings.Join(parts, "\n"), gaps
}

// calendar lists all dates from first to last.
func calendar(first, last string) (dates []string) {
	t, err := time.Parse(dateFormat, first)
	for date := first; err == nil && date <= last && len(dates) <= usage.MaxDays; date = t.Format(dateFormat) {
		dates = append(dates, date)
		t = t.AddDate(0, 0, 1)
	}
	return dates
}

// chart is the name of a meter, the drawing if there is room for it, and the sum in
// words.
func chart(days []Day, dates []string, width int) string {
	used := map[string]int64{}
	var sum, most int64
	var when string
	for _, d := range days {
		micros, _ := d.Used.Micros()
		used[d.Date] = micros
		sum += micros
		if micros > most {
			most, when = micros, d.Date
		}
	}
	amount := func(micros int64) string { return words.Short(usage.Micros(micros), days[0].Unit) }
	seen := fmt.Sprintf("on %d days that were seen", len(days))
	if len(days) == 1 {
		seen = "on 1 day that was seen"
	}
	name := wrapped(titleStyle, days[0].Meter.Info().Label, width)
	if most == 0 {
		return name + wrapped(faintStyle, "Nothing used "+seen, width)
	}
	summary := "Used " + amount(sum) + " " + seen
	if len(days) > 1 {
		summary += fmt.Sprintf(", %s a day, at most %s on %s", amount(sum/int64(len(days))), amount(most), shortDate(when))
	}
	return name + plot(used, dates, width, amount) + wrapped(faintStyle, summary, width)
}

// column is one or more days.
type column struct {
	date string
	used int64
	seen bool
}

// columnsOf spreads the use of dates over columns of that many days each. most is the
// use of the highest column.
func columnsOf(used map[string]int64, dates []string, each int) (columns []column, most int64) {
	for some := range slices.Chunk(dates, each) {
		c := column{date: some[0]}
		for _, date := range some {
			n, seen := used[date]
			c.used, c.seen = c.used+n, c.seen || seen
		}
		columns = append(columns, c)
		most = max(most, c.used)
	}
	return columns, most
}

// minRoom is the least width of a drawing, in columns of the terminal.
const minRoom = 10

// plot is the drawing itself, "" without room for one.
func plot(used map[string]int64, dates []string, width int, amount func(int64) string) string {
	// The figure at the axis grows with the days per column, and leaves less room.
	var columns []column
	var top string
	var most int64
	each, room := 0, 0
	for next := 1; next > each; next = max(each, (len(dates)+room-1)/room) {
		each = next
		columns, most = columnsOf(used, dates, each)
		top = amount(most)
		if room = width - ansi.StringWidth(top) - 2; room < minRoom || len(columns) == 0 {
			return ""
		}
	}
	axis := ansi.StringWidth(top)
	gap := ""
	if 2*len(columns) <= room {
		gap = " "
	}
	var text strings.Builder
	mark := top
	for row := chartRows - 1; row >= 0; row-- {
		text.WriteString(faintStyle.Styled(strings.Repeat(" ", axis-ansi.StringWidth(mark))+mark+" │") + bars(columns, most, row, gap) + "\n")
		mark = ""
	}
	text.WriteString(faintStyle.Styled(strings.Repeat(" ", axis-1)+"0 └"+strings.Repeat("─", len(columns)*(1+len(gap)))) + "\n")
	text.WriteString(faintStyle.Styled(strings.Repeat(" ", axis+2)+ticks(columns, 1+len(gap), room)) + "\n")
	if each > 1 {
		text.WriteString(wrapped(faintStyle, fmt.Sprintf("A column is %d days.", each), width))
	}
	return text.String()
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
	return barStyle.Styled(text)
}

// ticks are the dates below the columns, as many as fit.
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

// wrapped breaks a text into lines, and paints each separately.
func wrapped(style ansi.Style, text string, width int) string {
	var lines strings.Builder
	for line := range strings.SplitSeq(terminal.Wrap(text, width), "\n") {
		lines.WriteString(style.Styled(line) + "\n")
	}
	return lines.String()
}
