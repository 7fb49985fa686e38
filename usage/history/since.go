package history

import (
	"strconv"
	"time"
)

// since is what --since says: a moment, or so many days.
type since struct {
	moment time.Time
	days   int
}

// maxDays is a hundred years.
const maxDays = 36_525

// parseSince reads 14d, 2w, 36h, a date, a time in RFC 3339, or all. ok is false
// for anything else, and for what is yet to come.
func parseSince(text string, now time.Time, location *time.Location) (s since, ok bool) {
	if text == "all" {
		return since{moment: time.Unix(0, 0)}, true
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return since{moment: t}, storable(t) && !t.After(now)
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, location); err == nil {
		return since{moment: t}, storable(t) && !t.After(now)
	}
	if len(text) < 2 {
		return since{}, false
	}
	unit := map[byte]int{'h': 1, 'd': 24, 'w': 7 * 24}[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if err != nil || n == 0 || unit == 0 || int64(n)*int64(unit) > maxDays*24 {
		return since{}, false
	}
	if unit == 1 {
		return since{moment: now.Add(-time.Duration(n) * time.Hour)}, true
	}
	days := int(n) * unit / 24
	return since{moment: now.In(location).AddDate(0, 0, -days), days: days}, true
}

// day is a moment on the first day that is shown: fourteen days are today and the
// thirteen before.
func (s since) day() time.Time {
	if s.days > 0 {
		return s.moment.AddDate(0, 0, 1)
	}
	return s.moment
}
