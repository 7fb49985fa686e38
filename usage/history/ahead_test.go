package history

import (
	"testing"
	"time"

	"windsock/usage"
)

// What a clock that was a year ahead has dated is in no chart; if the clock is behind all
// that is kept, everything is.
func TestNotAhead(t *testing.T) {
	t.Parallel()
	var samples []Sample
	var days []Day
	for _, at := range []time.Time{noon.AddDate(0, 0, -2), noon.AddDate(1, 0, 0), noon.AddDate(1, 0, 1), noon.AddDate(0, 0, -1), noon} {
		samples = append(samples, Sample{At: at, Meter: usage.FlexCredits, Used: usage.Micros(0)})
	}
	for _, date := range []string{"2026-02-01", "2026-02-03", "2027-02-03"} {
		days = append(days, Day{Date: date})
	}
	equal(t, NotAhead(samples, noon), []Sample{samples[0], samples[3], samples[4]})
	equal(t, DaysNotAhead(days, noon), days[:2])
	long := noon.AddDate(-1, 0, 0)
	equal(t, NotAhead(samples, long), samples)
	equal(t, DaysNotAhead(days, long), days)
	equal(t, NotAhead(nil, noon), nil)
}
