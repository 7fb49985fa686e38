package poll

import (
	"math"
	"time"
)

// never is later than any time awake.
const never time.Duration = math.MaxInt64

// A clock that differs by more than this between two looks has jumped. Corrections of
// the clock and a busy machine stay below it.
const clockTolerance = 30 * time.Second

// clock separates the time that the machine was awake from the time that it slept.
//
// The monotonic clock of Linux and macOS stops in sleep, so the wall clock gets ahead
// of it. On Windows it goes on, but no timer fires, so a due look comes late. The next
// look notices both.
type clock struct {
	// now is the wall clock, which runs speed times faster than time; begun is the
	// origin of the monotonic clock.
	now   func() time.Time
	speed float64
	begun time.Time

	// mono, wall and awake are the times of the last look; awake excludes sleep.
	mono, awake time.Duration
	wall        time.Time
	// alarm is the latest time of the next look, on the monotonic clock.
	alarm time.Duration
}

func newClock(now func() time.Time, speed float64) clock {
	c := clock{now: now, speed: speed, begun: time.Now(), alarm: never}
	c.wall = c.wallNow()
	return c
}

// wallNow has no monotonic part, which would affect differences.
func (c *clock) wallNow() time.Time { return c.now().Round(0) }

// look reads both clocks and reports whether the machine has slept or the wall clock
// was set. The lead of a fast clock is no jump: it is divided by the speed.
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

// awakeAt converts a time of the wall clock to time awake, if the machine does not
// sleep. It rounds up: after such a wait, the wall clock has reached t.
func (c *clock) awakeAt(t time.Time) time.Duration {
	in := math.Ceil(float64(t.Sub(c.wall)) / c.speed)
	if in >= float64(never-c.awake) {
		return never
	}
	return c.awake + time.Duration(in)
}

// length converts a length of time of the wall clock to time awake.
func (c *clock) length(wall time.Duration) time.Duration {
	return time.Duration(float64(wall) / c.speed)
}

// wallAt converts a time awake to the wall clock; the zero time for never.
func (c *clock) wallAt(awake time.Duration) time.Time {
	if awake == never {
		return time.Time{}
	}
	return c.wall.Add(time.Duration(float64(awake-c.awake) * c.speed))
}
