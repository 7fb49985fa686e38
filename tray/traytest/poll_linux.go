package traytest

import (
	"testing"
	"time"
)

// waitTime is how long a helper waits before it fails its test, so it matters only for
// events that never happen. On an idle machine everything takes well below a second,
// with six jobs per processor up to ten seconds. If the first of two tries of the app
// comes too early, a minute may pass until the second.
const waitTime = 2 * time.Minute

// poll asks at once and then every interval. It reports whether ok returned true
// before the deadline.
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

// wait polls until ok returns true, or fails the test with ok's last text.
func wait(tb testing.TB, what string, ok func() (bool, string)) {
	tb.Helper()
	var last string
	limit := timeLeft(tb)
	if !poll(limit, 10*time.Millisecond, func() (done bool) { done, last = ok(); return done }) {
		tb.Fatalf("%s: not within %v; %s", what, limit.Round(time.Millisecond), last)
	}
}

// timeLeft is how long a helper may wait. It is shorter when go test's own time limit
// is near, which would print stacks in place of the cause.
func timeLeft(tb testing.TB) time.Duration {
	tb.Helper()
	if limited, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := limited.Deadline(); ok {
			return max(time.Second, min(waitTime, time.Until(deadline)-2*time.Second))
		}
	}
	return waitTime
}
