package spend

import "time"

// Days are numbers of local dates: 0 is 1970-01-01.
const secondsPerDay = 24 * 60 * 60

func dayOf(t time.Time, location *time.Location) int64 {
	_, offset := t.In(location).Zone()
	return (t.Unix() + int64(offset)) / secondsPerDay
}

func dateOf(day int64) string {
	return time.Unix(day*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

// span is a time, in seconds, in which the local clock has one offset: (t + offset) /
// secondsPerDay is the day of t.
type span struct{ since, until, offset int64 }

// spans are the spans of a time. It begins in 1970 at the earliest.
func spans(since, until time.Time, location *time.Location) (all []span) {
	at := max(0, since.Unix())
	for at < until.Unix() {
		local := time.Unix(at, 0).In(location)
		_, offset := local.Zone()
		end := until.Unix()
		if _, next := local.ZoneBounds(); !next.IsZero() {
			end = min(end, next.Unix())
		}
		all = append(all, span{at, end, int64(offset)})
		at = end
	}
	return all
}
