package poll

import (
	"iter"
	"time"

	"windsock/usage"
)

// FetchTimes are the moments at which a Poller asks, worked out by its own
// schedule, for simulations that do not wait: from start on, without an end, on a
// machine that sleeps in the naps, which follow each other, and on which every
// fetch succeeds at once. reset is the one reset that there is. random gives
// numbers from 0 to 1, of which the same ones make the same moments.
func FetchTimes(start, reset time.Time, interval time.Duration, naps []usage.Window, random func() float64) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		s := newSchedule(bounded(interval), random)
		var awake, slept time.Duration
		last := start.Add(-1)
		for {
			wall := start.Add(awake + slept)
			resetIn := never
			if at := reset.Add(resetDelay); at.After(last) {
				resetIn = awake + max(0, at.Sub(wall))
			}
			due := max(awake, s.due(resetIn))
			at := wall.Add(due - awake)
			if len(naps) > 0 && naps[0].Start.Before(at) {
				awake += max(0, naps[0].Start.Sub(wall))
				slept += max(0, naps[0].End.Sub(start.Add(awake+slept)))
				naps = naps[1:]
				// A poller looks at its clocks once a minute.
				awake += time.Duration(random() * float64(stateEvery))
				s.wake(awake)
				continue
			}
			awake, last = due, at
			s.begin(awake, resetIn)
			if !yield(at) {
				return
			}
			s.end(awake, nil)
		}
	}
}
