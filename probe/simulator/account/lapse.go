package account

import (
	"math"
	"time"
)

// A Lapse is a clock that runs fast from a moment on. Whoever has the same one
// reads the same time from it, in whatever process. The zero value is the
// ordinary clock.
type Lapse struct {
	Start time.Time `json:"start"`
	// Speed is how many times faster than time the clock runs; 0 is as fast.
	Speed float64 `json:"speed"`
}

// At is what the clock shows at a time. Until Start it goes as fast as time, and
// at no speed it shows that time. It never goes back while t does not, and has no
// monotonic part, which other processes would not have.
func (l Lapse) At(t time.Time) time.Time {
	t = t.Round(0)
	if !l.Runs() {
		return t
	}
	start, passed := l.Start.Round(0), t.Sub(l.Start)
	if passed <= 0 {
		return t
	}
	// Not as a Duration: a month in a minute is more than one holds in two days.
	whole, part := math.Modf(passed.Seconds() * l.Speed)
	return time.Unix(start.Unix()+int64(whole), int64(start.Nanosecond())+int64(part*1e9)).In(t.Location())
}

// Now is what the clock shows now.
func (l Lapse) Now() time.Time { return l.At(time.Now()) }

// Runs reports whether the clock is another than the ordinary one.
func (l Lapse) Runs() bool { return l.Speed > 0 }

// Lapse is the time-lapse that shows the scenario best, from now on.
func (s Scenario) Lapse(now time.Time) Lapse { return Lapse{Start: now.Round(0), Speed: s.Speed()} }

// lapseWindow is how long the window of a scenario that matters takes in a lapse
// of its speed: long enough to follow, short enough to wait for.
const lapseWindow = time.Minute

// Speed is the one at which a [Lapse] shows the scenario best: the billing
// cycle, or the day or the week of a quota, in a minute.
func (s Scenario) Speed() float64 {
	window := s.window
	if window == 0 {
		window = month
	}
	return float64(window) / float64(lapseWindow)
}
