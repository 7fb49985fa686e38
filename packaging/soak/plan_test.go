package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func planText(o options) string {
	var text strings.Builder
	printPlan(&text, newPlan(o))
	return text.String()
}

func TestSameSeedSamePlan(t *testing.T) {
	t.Parallel()
	other := short
	other.seed++
	if diff := cmp.Diff(planText(short), planText(short)); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	if planText(short) == planText(other) {
		t.Error("another seed gives the same plan")
	}
}

// Everything happens, nothing outlasts the time, and a lane has one thing at once.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, o := range []options{short, {length: 10 * time.Minute, warmUp: time.Minute, every: 3 * time.Second, seed: 1}} {
		happens := map[string]bool{}
		var free [lanes]time.Duration
		for _, s := range newPlan(o) {
			happens[s.name()+s.what] = true
			if s.at < free[s.lane] || s.hold <= 0 {
				t.Errorf("%v: %+v begins before %v", o.length, s, free[s.lane])
			}
			free[s.lane] = s.at + s.hold
			if free[s.lane] > o.length {
				t.Errorf("%+v is not over after %v", s, o.length)
			}
		}
		for _, all := range choices() {
			for _, s := range all {
				if !happens[s.name()+s.what] {
					t.Errorf("%v: no %s %s", o.length, s.kind, s.what)
				}
			}
		}
	}
}
