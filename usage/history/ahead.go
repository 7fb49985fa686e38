package history

import (
	"slices"
	"time"
)

// NotAhead leaves out the samples that a clock dated which was ahead of the present one,
// for a chart, whose line would run back. If there are no others, it is the present clock
// that is wrong, and all of them stay.
func NotAhead(samples []Sample, now time.Time) []Sample {
	return notAhead(samples, func(s Sample) bool { return s.At.After(now.Add(time.Minute)) }) // now may be a moment ago
}

// DaysNotAhead is NotAhead for days. Tomorrow may have begun where days are counted.
func DaysNotAhead(days []Day, now time.Time) []Day {
	tomorrow := now.AddDate(0, 0, 1).Format(dateFormat)
	return notAhead(days, func(d Day) bool { return d.Date > tomorrow })
}

func notAhead[T any](all []T, ahead func(T) bool) []T {
	if past := slices.DeleteFunc(slices.Clone(all), ahead); len(past) > 0 {
		return past
	}
	return all
}
