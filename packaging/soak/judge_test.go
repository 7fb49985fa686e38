package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// course is what an app of 20 goroutines holds over ten minutes, of which every
// third sample or so meets it at work, with what is added by grow.
func course(grow func(minutes float64) float64) []sample {
	r := rand.New(rand.NewPCG(1, 2))
	samples := make([]sample, 600)
	for i := range samples {
		at := time.Duration(i) * time.Second
		busy := 0.0
		if r.IntN(3) == 0 {
			busy = 12 * r.Float64()
		}
		n := 20 + busy + grow(at.Minutes())
		samples[i] = sample{
			at: at, goroutines: int64(n), descriptors: int64(n), threads: int64(n), children: int64(grow(at.Minutes())),
			rss: int64(n * megabyte), rssPeak: int64(n * megabyte), heap: int64(n * megabyte / 8), files: int64(n * megabyte),
		}
	}
	return samples
}

func TestJudge(t *testing.T) {
	t.Parallel()
	all := make([]string, len(measures))
	for i, m := range measures {
		all[i] = m.name
	}
	tests := []struct {
		name string
		grow func(minutes float64) float64
		want []string // have grown
	}{
		{"flat", func(float64) float64 { return 0 }, nil},
		{"falling", func(m float64) float64 { return -m }, nil},
		{"rising", func(m float64) float64 { return 2 * m }, all},
		{"one_a_minute", func(m float64) float64 { return m }, []string{
			"live heap", "goroutines", "file descriptors", "threads", "children", "own files",
		}},
		{"in_steps", func(m float64) float64 { return 10 * float64(int(m/4)) }, all},
		{"rising_in_the_warm_up", func(m float64) float64 { return 20 * min(m, 1) }, nil},
		{"one_peak", func(m float64) float64 {
			if m > 8 && m < 9 {
				return 60
			}
			return 0
		}, nil},
		{"settling", func(m float64) float64 { return 1 - 1/(1+m) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			verdicts, err := judgeAll(course(tt.grow), options{warmUp: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			var grown []string
			for _, v := range verdicts {
				if v.grown() {
					grown = append(grown, v.name)
				}
			}
			if diff := cmp.Diff(tt.want, grown); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeNeedsSamples(t *testing.T) {
	t.Parallel()
	if _, err := judgeAll(course(func(float64) float64 { return 0 })[:62], options{warmUp: time.Minute}); err == nil {
		t.Error("no error")
	}
}

func TestPrintVerdicts(t *testing.T) {
	t.Parallel()
	verdicts, err := judgeAll(course(func(m float64) float64 { return m }), options{warmUp: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	problems, err := printVerdicts(&out, "an app", verdicts[2:4])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"an app: goroutines grew from 22 to 28", "an app: file descriptors grew from 22 to 28"}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(out.String(), "GROWN") {
		t.Errorf("table:\n%s", out.String())
	}
}
