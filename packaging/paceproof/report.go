package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// report writes the table.
func report(out io.Writer, o options, all []kind, scores [][]score) error {
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
	for _, rule := range rules {
		fmt.Fprintf(t, "\t    %s\t\t", rule.name)
	}
	fmt.Fprintf(t, "\n%d of each kind", o.cycles)
	for range rules {
		fmt.Fprint(t, "\t    off by\tfalse\twarned")
	}
	fmt.Fprintln(t, "\t")
	row := func(name string, of func(rule int) figures) {
		fmt.Fprint(t, name)
		for rule := range rules {
			f := of(rule)
			fmt.Fprintf(t, "\t%.1f\t%.1f %%\t%.1f %%", f.off, f.falsely, f.warned)
		}
		fmt.Fprintln(t, "\t")
	}
	for i, k := range all {
		row(k.name, func(rule int) figures { return scores[rule][i].figures() })
	}
	row("mean", func(rule int) figures { return mean(scores[rule]) })
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// target holds the first rule against the naive one.
func target(all []kind, ours, naive []score) error {
	var missed []error
	miss := func(yes bool, format string, args ...any) {
		if yes {
			missed = append(missed, fmt.Errorf(format, args...))
		}
	}
	our, their := mean(ours), mean(naive)
	miss(our.off >= their.off, "off by %.2f points, and the naive rule by %.2f", our.off, their.off)
	miss(our.falsely >= their.falsely, "%.2f %% false alarms, and %.2f %% of the naive rule", our.falsely, their.falsely)
	miss(our.warned <= their.warned, "warned of %.2f %%, and the naive rule of %.2f %%", our.warned, their.warned)
	miss(our.warned < 90, "warned of %.2f %%", our.warned)
	for i, k := range all {
		our, their := ours[i].figures(), naive[i].figures()
		cycle := oneOf(ours[i].lasting / len(quarters))
		miss(our.off > their.off+1, "%s: off by %.2f points, and the naive rule by %.2f", k.name, our.off, their.off)
		miss(our.falsely > their.falsely+cycle, "%s: %.2f %% false alarms, and %.2f %% of the naive rule", k.name, our.falsely, their.falsely)
		cycle = oneOf(ours[i].runOuts)
		miss(our.warned < their.warned-cycle, "%s: warned of %.2f %%, and the naive rule of %.2f %%", k.name, our.warned, their.warned)
	}
	return errors.Join(missed...)
}

// oneOf is a point, or what one of so many cycles is if that is more.
func oneOf(n int) float64 { return max(1, 100/float64(max(1, n))+1e-9) }
