package traytest

import (
	"testing"
	"time"
)

// waitTime is how long a helper waits before it fails its test. It is there for
// what never comes: on an idle machine everything takes well below a second, on
// one with six jobs a processor it may be ten. Two tries of the app's, of which
// the first one came too early, may be a minute apart.
const waitTime = 2 * time.Minute

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

// wait polls until ok, and fails the test with what ok returned last.
func wait(tb testing.TB, what string, ok func() (bool, string)) {
	tb.Helper()
	var last string
	limit := timeLeft(tb)
	if !poll(limit, 10*time.Millisecond, func() (done bool) { done, last = ok(); return done }) {
		tb.Fatalf("%s: not within %v; %s", what, limit.Round(time.Millisecond), last)
	}
}

// timeLeft is how long a helper may wait: less when go test's own time limit is
// near, which would print stacks instead of what is wrong.
func timeLeft(tb testing.TB) time.Duration {
	tb.Helper()
	if limited, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := limited.Deadline(); ok {
			return max(time.Second, min(waitTime, time.Until(deadline)-2*time.Second))
		}
	}
	return waitTime
}
