package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report collects the rows of the table.
type report struct{ rows []row }

// row is what was measured, and what its median may be at most; 0 is no budget.
type row struct {
	name    string
	figures []float64
	atMost  float64
	unit    string
}

func (r *report) add(name, unit string, atMost float64, figures ...float64) {
	r.rows = append(r.rows, row{name, figures, atMost, unit})
}

// took adds how long the ways took.
func (r *report) took(ways []way, times [][]time.Duration) {
	for i, w := range ways {
		r.times(w.name, times[i], 0)
	}
}

func (r *report) times(name string, times []time.Duration, atMost float64) {
	figures := make([]float64, len(times))
	for i, t := range times {
		figures[i] = float64(t) / float64(time.Millisecond)
	}
	r.add(name, "ms", atMost, figures...)
}

// ratio adds that of the medians; beside it stand those of the single turns.
func (r *report) ratio(name string, a, b []time.Duration, atMost float64) {
	turns := make([]float64, len(a))
	for i := range a {
		turns[i] = float64(a[i]) / float64(b[i])
	}
	r.add(name, "", atMost, turns...)
}

// write writes the table, and reports whether a median is over its budget.
func (r *report) write(out io.Writer, turns int) (missed bool, err error) {
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%d turns\tleast\tmedian\tworst\tbudget\t\n", turns)
	for _, row := range r.rows {
		budget := ""
		if row.atMost > 0 {
			budget = fmt.Sprintf("%g", row.atMost)
		}
		if row.atMost > 0 && median(row.figures) > row.atMost {
			missed = true
			budget = "missed " + budget
		}
		name := row.name
		if row.unit != "" {
			name += ", " + row.unit
		}
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%.4g\t%s\t\n", name,
			slices.Min(row.figures), median(row.figures), slices.Max(row.figures), budget)
	}
	if err := t.Flush(); err != nil {
		return missed, fmt.Errorf("write table: %w", err)
	}
	return missed, nil
}

func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}
