package pace

import (
	"slices"
	"time"

	"windsock/usage"
)

// Sample is what a meter said at a moment in the past.
type Sample struct {
	At   time.Time
	Used usage.Amount
	// End is when the window of that moment was to end.
	End time.Time
}

// History holds the samples of meters, oldest first.
type History map[usage.MeterID][]Sample

// Options are the person's habits.
type Options struct {
	// WorkDays are the days that count; none or all seven is every day.
	WorkDays []time.Weekday
	// Location is where days begin; nil is UTC.
	Location *time.Location
}

// Equal reports whether both say the same.
func (o Options) Equal(p Options) bool {
	return slices.Equal(o.WorkDays, p.WorkDays) && o.Location == p.Location
}
