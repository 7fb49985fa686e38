package poll

import (
	"math"
	"time"
)

// never is a time awake that does not come.
const never time.Duration = math.MaxInt64

// A clock that is off by more than this between two looks has jumped. It is
// above what the correction of a clock and a busy machine come to.
const clockTolerance = 30 * time.Second

// clock tells the time that the machine was awake from the time that it slept.
//
// The monotonic clock of Linux and macOS stands still in sleep, so that the
// wall clock gets ahead of it. That of Windows goes on, but no timer fires, so
// that a look that was due comes late. Both are seen at the next look.
type clock struct {
	// now is the wall clock, which runs speed times faster than time; begun is
	// where the monotonic one counts from.
	now   func() time.Time
	speed float64
	begun time.Time

	// mono, wall and awake are the last look's; awake never counts sleep.
	mono, awake time.Duration
	wall        time.Time
	// alarm is when the next look is due at the latest, on the monotonic clock.
	alarm time.Duration
}

func newClock(now func() time.Time, speed float64) clock {
	c := clock{now: now, speed: speed, begun: time.Now(), alarm: never}
	c.wall = c.wallNow()
	return c
}

// wallNow has no monotonic part, which would get into differences.
func (c *clock) wallNow() time.Time { return c.now().Round(0) }

// look reads both clocks and reports whether the machine has slept or the wall
// clock was set. That a fast clock is a little ahead is no jump: what counts is
// the time in which it gets there.
func (c *clock) look() (jumped bool) {
	mono, wall := time.Since(c.begun), c.wallNow()
	elapsed, late := mono-c.mono, mono-c.alarm
	ahead := float64(wall.Sub(c.wall))/c.speed - float64(elapsed)
	c.mono, c.wall, c.alarm = mono, wall, max(c.alarm, mono)
	if late > clockTolerance {
		elapsed -= late
	}
	c.awake += elapsed
	return late > clockTolerance || math.Abs(ahead) > float64(clockTolerance)
}

// awakeAt is a time of the wall clock in time awake, if nobody sleeps. It is
// rounded up: whoever waits for it finds that the wall clock is there.
func (c *clock) awakeAt(t time.Time) time.Duration {
	in := math.Ceil(float64(t.Sub(c.wall)) / c.speed)
	if in >= float64(never-c.awake) {
		return never
	}
	return c.awake + time.Duration(in)
}

// wallAt is a time awake on the wall clock; the zero time for never.
func (c *clock) wallAt(awake time.Duration) time.Time {
	if awake == never {
		return time.Time{}
	}
	return c.wall.Add(time.Duration(float64(awake-c.awake) * c.speed))
}
