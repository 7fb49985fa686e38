package account

import (
	"math"
	"time"
)

// A Lapse is a clock that runs fast from Start on. The same Lapse shows the same time
// in every process. The zero value is the ordinary clock.
type Lapse struct {
	Start time.Time `json:"start"`
	// Speed is the factor by which the clock runs faster than real time; 0 means 1.
	Speed float64 `json:"speed"`
}

// NewLapse is a time-lapse from now on.
func NewLapse(now time.Time, speed float64) Lapse { return Lapse{Start: now.Round(0), Speed: speed} }

// At is the clock's time at the real time t. Before Start, or with no Speed, it is t.
// It never goes back unless t does. It has no monotonic part: other processes would not
// have the same one.
func (l Lapse) At(t time.Time) time.Time {
	t = t.Round(0)
	if !l.Runs() {
		return t
	}
	start, passed := l.Start.Round(0), t.Sub(l.Start)
	if passed <= 0 {
		return t
	}
	// Not as a Duration: at a month a minute, two days exceed its range.
	whole, part := math.Modf(passed.Seconds() * l.Speed)
	return time.Unix(start.Unix()+int64(whole), int64(start.Nanosecond())+int64(part*1e9)).In(t.Location())
}

// Now is the clock's time now.
func (l Lapse) Now() time.Time { return l.At(time.Now()) }

// Runs reports whether the clock runs fast.
func (l Lapse) Runs() bool { return l.Speed > 0 }

// lapseWindow is the duration of the scenario's main window in a lapse: long enough to
// follow, short enough to wait for.
const lapseWindow = time.Minute

// Speed makes a [Lapse] show the scenario's main window in a minute: the billing cycle,
// or the day or week of a quota.
func (s Scenario) Speed() float64 {
	window := s.window
	if window == 0 {
		window = month
	}
	return float64(window) / float64(lapseWindow)
}
