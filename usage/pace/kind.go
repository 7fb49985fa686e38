package pace

import (
	"time"

	"windsock/usage"
)

// day is 24 hours.
const day = 24 * time.Hour

// kind is a kind of window: people use windows of one length alike.
type kind struct {
	// prior is the share of the allowance that most people use, as long as nothing else
	// is known of a person; it counts as half a window.
	prior float64
	// most is the highest weight of what the person usually uses. This window's own use
	// has the weight of its elapsed share.
	most float64
	// runsOut and tight are the chances to run out from which a meter gets that verdict.
	runsOut, tight float64
	// strays is how far the rest strays from what is expected.
	strays *[len(knots)][len(levels)]float64
	// fast is the reason of windows of a day or less that would run out. They have no
	// verdict runs_out and no budget; one in which nothing was seen was a day off, and
	// does not count.
	fast string
	// byHour says that a day's use follows the hours of the day.
	byHour bool
}

var (
	cycleKind = kind{prior: 0.93, most: 1, runsOut: 0.60, tight: 0.35, strays: &cycleStrays}
	weekKind  = kind{prior: 0.70, most: 1, runsOut: 0.55, tight: 0.30, strays: &weekStrays}
	dayKind   = kind{prior: 0.63, most: 2, runsOut: 0.54, tight: 0.30, strays: &dayStrays, fast: usage.ReasonFastDay, byHour: true}
	// hoursKind is borrowed from the day: nobody's use of such windows was measured.
	hoursKind = kind{prior: 0.63, most: 2, runsOut: 0.70, tight: 0.40, strays: &dayStrays, fast: usage.ReasonFastHours}
)

// kindOf is the kind of the windows of a length.
func kindOf(length time.Duration) *kind {
	switch {
	case length > 10*day:
		return &cycleKind
	case length >= 2*day:
		return &weekKind
	case length >= 8*time.Hour:
		return &dayKind
	default:
		return &hoursKind
	}
}

// wayBack is how far a chance has to fall below its threshold before the verdict is
// left.
const wayBack = 0.12

// gravity orders the verdicts that come from the chance.
type gravity int

const (
	lasts gravity = iota
	isTight
	runsOut
)

// gravity is that of a chance to run out. before is the last one; it is called only
// where it matters.
func (k *kind) gravity(chance float64, before func() gravity) gravity {
	switch {
	case chance >= k.runsOut, chance >= k.runsOut-wayBack && before() == runsOut:
		return runsOut
	case chance >= k.tight, chance >= k.tight-wayBack && before() >= isTight:
		return isTight
	default:
		return lasts
	}
}
