package pace

import (
	"slices"
	"time"

	"windsock/usage"
)

// Sample is a meter's reading at a moment in the past.
type Sample struct {
	At   time.Time
	Used usage.Amount
	// End is the end of the window, as known at that moment.
	End time.Time
}

// History holds the samples of meters, oldest first.
type History map[usage.MeterID][]Sample

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
