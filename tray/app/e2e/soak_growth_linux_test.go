package e2e

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// A sample is what an app holds at a time after the start, in the order of measures.
type sample struct {
	at    time.Duration
	holds [7]int
}

// measures are what must not grow, and the tolerances that a run without a leak keeps
// within, and that one goroutine for each minute, or four kilobytes for each answer,
// does not.
var measures = [len(sample{}.holds)]struct {
	name      string
	tolerance int
}{
	{"memory (RSS), kB", 6 << 10}, {"live heap, kB", 512}, {"goroutines", 4}, {"file descriptors", 3}, {"threads", 3}, {"children", 0}, {"files but the history, kB", 2 << 10},
}

// sampleOf is the app's present use of resources.
func (s *soakSession) sampleOf(t *testing.T) (holds [7]int) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d", s.app.PID())
	var goroutines, heap int
	waitFor(t, "the app's gauges", func() bool {
		text, _ := os.ReadFile(s.gauges())
		n, _ := fmt.Sscan(string(text), &goroutines, &heap)
		return n == 2
	})
	descriptors, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := filepath.Glob(proc + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	children := 0
	for _, task := range tasks {
		of, _ := os.ReadFile(task) // of a thread that may have ended
		children += len(strings.Fields(string(of)))
	}
	files := 0
	_ = filepath.WalkDir(s.state(), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "history.db") { // which grows with what is told
			if info, err := d.Info(); err == nil { // gone since
				files += int(info.Size())
			}
		}
		return nil
	})
	return [...]int{number(t, proc+"/status", "VmRSS:"), heap >> 10, goroutines, len(descriptors), number(t, proc+"/status", "Threads:"), children, files >> 10}
}

// judge compares the app's use in the first third of the samples with that in the
// last, and writes a table. The use at rest counts, as the lower quartile: the app
// gives back what it needs for an answer, and how often a sample meets an answer is
// chance. The tolerances hold slack times.
func judge(t *testing.T, samples []sample, warmUp time.Duration, slack int) {
	t.Helper()
	first, _ := slices.BinarySearchFunc(samples, warmUp, func(s sample, at time.Duration) int { return cmp.Compare(s.at, at) })
	samples = samples[first:]
	third := len(samples) / 3
	if third == 0 {
		t.Fatalf("%d samples are too few", len(samples))
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tstart\tend\tpeak\tmay grow by\t")
	for i, m := range measures {
		atRest := func(some []sample) int {
			var figures []int
			for _, s := range some {
				figures = append(figures, s.holds[i])
			}
			slices.Sort(figures)
			return figures[len(figures)/4]
		}
		start, end := atRest(samples[:third]), atRest(samples[len(samples)-third:])
		peak := slices.MaxFunc(samples, func(a, b sample) int { return cmp.Compare(a.holds[i], b.holds[i]) }).holds[i]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t\n", m.name, start, end, peak, slack*m.tolerance)
		if end-start > slack*m.tolerance {
			t.Errorf("%s grew from %d to %d", m.name, start, end)
		}
	}
	_ = table.Flush()
	t.Log("\n" + text.String())
}
