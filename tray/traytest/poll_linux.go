package traytest

import (
	"testing"
	"time"
)

// patience is how long a helper waits before it fails its test. It is there for
// what never comes; on an idle machine everything takes well below a second.
const patience = 20 * time.Second

// poll asks at once and then every interval. It reports whether the answer was
// yes before the deadline.
func poll(deadline, interval time.Duration, ok func() bool) bool {
	end := time.Now().Add(deadline)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for !ok() {
		if !time.Now().Before(end) {
			return false
		}
		<-tick.C
	}
	return true
}

// wait polls until ok, and fails the test with what ok said last.
func wait(tb testing.TB, what string, ok func() (bool, string)) {
	tb.Helper()
	var last string
	if !poll(patience, 10*time.Millisecond, func() (done bool) { done, last = ok(); return done }) {
		tb.Fatalf("%s: not within %v; %s", what, patience, last)
	}
}
