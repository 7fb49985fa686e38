package window

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"windsock/usage"
	"windsock/usage/spend"
	"windsock/usage/words"
)

// spentColumn is a column of figures; nil is not known.
type spentColumn struct {
	label string
	of    func(spend.Row) *string
}

// spentColumns are the cost that rows are compared by, the others that something was paid
// with, counts, and averages.
func spentColumns(report spend.Report) []spentColumn {
	var columns []spentColumn
	add := func(label string, of func(spend.Row) *string) { columns = append(columns, spentColumn{label, of}) }
	compared := report.Total.Unit()
	for _, unit := range report.Total.Paid() {
		add(spend.Column(unit), func(row spend.Row) *string { return cost(row.In(unit), unit) })
	}
	add("Prompts", func(row spend.Row) *string { return new(spend.Count(row.Prompts)) })
	if compared != "" {
		add("per prompt", func(row spend.Row) *string { return cost(row.PerPrompt(compared), compared) })
	}
	if compared != "" && (report.By == spend.ByModel || report.By == spend.ByWorkspace) {
		add("per day", func(row spend.Row) *string {
			if row.Days == 0 {
				return new("") // the total's, which has the days of no row
			}
			return cost(row.PerDay(compared), compared)
		})
	}
	add("Tokens in", func(row spend.Row) *string { return count(row.Input) })
	add("cached", func(row spend.Row) *string { return count(row.Cached) }) // which are a part of these
	add("Tokens out", func(row spend.Row) *string { return count(row.Output) })
	return columns
}

func cost(a usage.Amount, unit usage.Unit) *string {
	if !a.Known() {
		return nil
	}
	return new(words.Short(a, unit))
}

func count(n *int64) *string {
	if n == nil {
		return nil
	}
	return new(spend.Count(int(*n)))
}

// spentRow is a row for the page.
type spentRow struct {
	// Key narrows another request to the row.
	Key   string `json:"key"`
	Label string `json:"label"`
	// Share is the cost in percent of the dearest row's; null if it is not known.
	Share *float64  `json:"share"`
	Cells []*string `json:"cells"`
	// Note says of how many steps the cost is not known.
	Note string `json:"note"`
}

// spentRows are a report's rows in these columns.
func spentRows(report spend.Report, columns []spentColumn, name func(key string) string) []spentRow {
	unit, most := report.Total.Unit(), usage.Micros(0)
	for _, row := range report.Rows {
		if cost := row.In(unit); cost.Millionths() > most.Millionths() {
			most = cost
		}
	}
	rows := make([]spentRow, len(report.Rows))
	for i, row := range report.Rows {
		rows[i] = spentRow{Key: name(row.Key), Label: row.Label, Cells: cells(row, columns)}
		if at, err := time.Parse(time.DateOnly, row.Key); err == nil && report.By == spend.ByDay {
			rows[i].Label = at.Format("Mon 2 Jan")
		}
		if cost := row.In(unit); cost.Known() && most.Positive() {
			rows[i].Share = number(usage.Micros(max(0, cost.Millionths())).PercentOf(most))
		}
		if row.UnknownSteps > 0 {
			rows[i].Note = fmt.Sprintf("%d of %d steps tell no cost", row.UnknownSteps, row.ModelSteps)
		}
	}
	if report.By == spend.ByDay {
		slices.Reverse(rows) // like the page's other tables
	}
	return rows
}

func cells(row spend.Row, columns []spentColumn) []*string {
	made := make([]*string, len(columns))
	for i, column := range columns {
		made[i] = column.of(row)
	}
	return made
}

// places are the workspaces that the page was told of. It has names for them: a browser
// may keep an address, and a path has no place in one.
type places struct {
	mu   sync.Mutex // guards uris
	uris []string
}

// name is the page's name for a row.
func (p *places) name(by spend.By, key string) string {
	if by != spend.ByWorkspace || key == "" {
		return key
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, uri := range p.uris {
		if uri == key {
			return strconv.Itoa(i)
		}
	}
	p.uris = append(p.uris, key)
	return strconv.Itoa(len(p.uris) - 1)
}

// key is what a page's name stands for.
func (p *places) key(by spend.By, name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i, err := strconv.Atoi(name); err == nil && by == spend.ByWorkspace && i >= 0 && i < len(p.uris) {
		return p.uris[i]
	}
	return name
}
