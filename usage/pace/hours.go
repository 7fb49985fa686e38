package pace

import (
	"time"
)

// allHours is the use of all people by the local hour of the day.
var allHours = [24]float64{
	.028, .047, .024, .016, .011, .012, .021, .040, .056, .122, .125, .112,
	.104, .100, .092, .082, .070, .060, .053, .047, .047, .047, .039, .037,
}

// hourPart is a part of one local hour, within counted time.
type hourPart struct {
	hour       int
	start, end time.Time
}

// hourParts are the hours of counted time.
func (c calendar) hourParts(loc *time.Location) []hourPart {
	var parts []hourPart
	for _, s := range c.spans {
		for at := s.start; at.Before(s.end); {
			local := at.In(loc)
			into := time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second + time.Duration(local.Nanosecond())
			next := at.Add(time.Hour - into)
			if next.After(s.end) {
				next = s.end
			}
			parts = append(parts, hourPart{local.Hour(), at, next})
			at = next
		}
	}
	return parts
}

// over is the share of a day's usual use that is over at a moment. Each week that is
// known of the person weighs a quarter of what is known of all people.
func (w *window) over(at time.Time) float64 {
	weeks, own := fade(at.Sub(w.habit.at))*w.habit.length/7, 0.0
	for _, used := range w.habit.hours {
		own += used
	}
	var over, all float64
	for _, p := range w.hours {
		use := 4 * allHours[p.hour]
		if own > 0 {
			use += weeks * w.habit.hours[p.hour] / own
		}
		all += use * p.end.Sub(p.start).Hours()
		if at.After(p.start) {
			over += use * min(at.Sub(p.start), p.end.Sub(p.start)).Hours()
		}
	}
	return over / all
}
