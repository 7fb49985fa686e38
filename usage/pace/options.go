package pace

import (
	"slices"
	"time"

	"windsock/usage"
)

// History is what was seen of each meter before.
type History map[usage.MeterID]Seen

// Seen is what was seen of a meter.
type Seen struct {
	// Samples are those of the present window, oldest first.
	Samples []Sample
	// Past are the windows that are over, oldest first. A window of which nothing was
	// seen is left out.
	Past []Window
}

// Sample is a meter's reading at a moment.
type Sample struct {
	At          time.Time
	Used, Total usage.Amount
}

// Window is what was seen of a window that is over.
type Window struct {
	usage.Window

	// Used and Total are the last figures seen in it.
	Used, Total usage.Amount
	// UsedUp is when it was first seen to have nothing left; zero when it lasted.
	UsedUp time.Time
	// Hours is what was used in each local hour of the day, in millionths. Only windows
	// of a day need it.
	Hours [24]int64
}

// Options are the person's habits.
type Options struct {
	// WorkDays are the days that count; none or all seven means every day.
	WorkDays []time.Weekday
	// Location decides when days begin; nil is UTC.
	Location *time.Location
}

// Equal reports whether both have the same effect.
func (o Options) Equal(p Options) bool {
	return slices.Equal(o.WorkDays, p.WorkDays) && o.Location == p.Location
}
