package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// sample is what an app holds at a time after the start.
type sample struct {
	at time.Duration
	// rss and heap are in bytes, heap being what a garbage collection has found in
	// use, and rssPeak the most that rss has ever been; files is the size of all that
	// the app has written.
	rss, rssPeak, heap, files                  int64
	goroutines, descriptors, threads, children int64
}

// A measure is a figure that must not grow by more than a tolerance.
type measure struct {
	name string
	// unit divides the figure for people.
	unit      int64
	suffix    string
	tolerance int64
	of        func(sample) int64
	// most is the figure to take the peak of, nil for of's.
	most func(sample) int64
}

const megabyte = 1 << 20

// measures have the tolerances that a run without a leak keeps within, and that
// one goroutine for each minute, or four kilobytes for each answer, does not.
var measures = []measure{
	{name: "memory (RSS)", unit: megabyte, suffix: " MB", tolerance: 6 * megabyte, of: func(s sample) int64 { return s.rss }, most: func(s sample) int64 { return s.rssPeak }},
	{name: "live heap", unit: megabyte, suffix: " MB", tolerance: megabyte / 2, of: func(s sample) int64 { return s.heap }},
	{name: "goroutines", unit: 1, suffix: "", tolerance: 2, of: func(s sample) int64 { return s.goroutines }},
	{name: "file descriptors", unit: 1, suffix: "", tolerance: 2, of: func(s sample) int64 { return s.descriptors }},
	{name: "threads", unit: 1, suffix: "", tolerance: 3, of: func(s sample) int64 { return s.threads }},
	{name: "children", unit: 1, suffix: "", tolerance: 0, of: func(s sample) int64 { return s.children }},
	{name: "own files", unit: megabyte, suffix: " MB", tolerance: 2 * megabyte, of: func(s sample) int64 { return s.files }},
}

// verdict is what became of a measure.
type verdict struct {
	measure

	start, end, peak int64
}

func (v verdict) grown() bool { return v.end-v.start > v.tolerance }

// judge compares the first third of samples with the last. What counts is what the
// app holds at rest, for which the lower quartile stands: what it needs for an
// answer it gives back, and how often a sample meets one is chance.
func judge(m measure, samples []sample) verdict {
	figures, most := make([]int64, len(samples)), make([]int64, len(samples))
	for i, s := range samples {
		figures[i] = m.of(s)
		most[i] = figures[i]
		if m.most != nil {
			most[i] = m.most(s)
		}
	}
	third := len(figures) / 3
	return verdict{m, quartile(figures[:third]), quartile(figures[len(figures)-third:]), slices.Max(most)}
}

func quartile(figures []int64) int64 { return slices.Sorted(slices.Values(figures))[len(figures)/4] }

// judgeAll are the verdicts on the samples after the warm-up, which have to be
// three at least.
func judgeAll(samples []sample, o options) ([]verdict, error) {
	first, _ := slices.BinarySearchFunc(samples, o.warmUp, func(s sample, at time.Duration) int { return cmp.Compare(s.at, at) })
	samples = samples[first:]
	if len(samples) < 3 {
		return nil, fmt.Errorf("judge growth: %d samples are too few", len(samples))
	}
	verdicts := make([]verdict, len(measures))
	for i, m := range measures {
		m.tolerance *= max(1, o.slack)
		verdicts[i] = judge(m, samples)
	}
	return verdicts, nil
}

// printVerdicts writes a table, and returns what has grown.
func printVerdicts(out io.Writer, who string, verdicts []verdict) (problems []string, err error) {
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\tstart\tend\tpeak\tmay grow by\t\t\n", who)
	for _, v := range verdicts {
		show := func(figure int64) string {
			if v.unit == 1 {
				return strconv.FormatInt(figure, 10)
			}
			return fmt.Sprintf("%.1f%s", float64(figure)/float64(v.unit), v.suffix)
		}
		mark := ""
		if v.grown() {
			mark = "GROWN"
			problems = append(problems, fmt.Sprintf("%s: %s grew from %s to %s", who, v.name, show(v.start), show(v.end)))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", v.name, show(v.start), show(v.end), show(v.peak), show(v.tolerance), mark)
	}
	return problems, t.Flush()
}
