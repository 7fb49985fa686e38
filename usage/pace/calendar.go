package pace

import (
	"slices"
	"time"

	"windsock/usage"
)

// calendar is the time of a window that counts: all of it, or what falls on
// work days, which begin and end at local midnights, however long daylight
// saving makes them.
type calendar struct {
	// spans follow each other and do not touch.
	spans []workSpan
	// total is the time that counts.
	total time.Duration
}

// workSpan is a stretch of time that counts, and how much counts before it.
type workSpan struct {
	start, end time.Time
	before     time.Duration
}

// Nobody's plan is this long, and days take time to count.
const longestWorked = 3 * 366 * 24 * time.Hour

func newCalendar(w usage.Window, o Options) calendar {
	var c calendar
	if o.everyDay() || w.End.Sub(w.Start) > longestWorked {
		return c.plus(w.Start, w.End)
	}
	loc := o.Location
	if loc == nil {
		loc = time.UTC
	}
	for day := w.Start; day.Before(w.End); {
		next := midnightAfter(day, loc)
		if next.After(w.End) {
			next = w.End
		}
		if slices.Contains(o.WorkDays, day.In(loc).Weekday()) {
			c = c.plus(day, next)
		}
		day = next
	}
	return c
}

func (c calendar) plus(start, end time.Time) calendar {
	if last := len(c.spans) - 1; last >= 0 && c.spans[last].end.Equal(start) {
		c.spans[last].end = end
	} else {
		c.spans = append(c.spans, workSpan{start, end, c.total})
	}
	c.total += end.Sub(start)
	return c
}

// worked is the time that counts up to t.
func (c calendar) worked(t time.Time) time.Duration {
	var sum time.Duration
	for _, s := range c.spans {
		if !s.start.Before(t) {
			break
		}
		sum = s.before + min(t.Sub(s.start), s.end.Sub(s.start))
	}
	return sum
}

// at is the first moment at which so much has been worked. More than there is
// ends with the last span, less than nothing begins with the first.
func (c calendar) at(worked time.Duration) time.Time {
	var t time.Time
	for i, s := range c.spans {
		if i > 0 && worked <= s.before {
			break
		}
		t = s.start.Add(min(max(0, worked-s.before), s.end.Sub(s.start)))
	}
	return t
}

// everyDay reports whether all time counts.
func (o Options) everyDay() bool { return o.days() == 7 }

// days is how many days of a week count.
func (o Options) days() int {
	n := 0
	for day := time.Sunday; day <= time.Saturday; day++ {
		if slices.Contains(o.WorkDays, day) {
			n++
		}
	}
	if n == 0 {
		return 7
	}
	return n
}

// midnightAfter is the next beginning of a local day after t.
//
// time.Date does not say which moment it returns for a midnight that the clocks
// skip, or show twice, so the two are looked for.
func midnightAfter(t time.Time, loc *time.Location) time.Time {
	year, month, day := t.In(loc).Date()
	next := time.Date(year, month, day+1, 0, 0, 0, 0, loc)
	changed, until := next.ZoneBounds()
	if next.Day() == day && !until.IsZero() {
		return until // the clocks jump from this day into the next
	}
	if before := changed.Add(-1).In(loc); !changed.IsZero() && before.Day() == next.Day() && next.Sub(changed) < time.Hour {
		// The day's first hour comes twice.
		hour, minute, second := before.Clock()
		next = changed.Add(-time.Duration(hour)*time.Hour - time.Duration(minute)*time.Minute - time.Duration(second+1)*time.Second)
	}
	if !next.After(t) {
		return t.Add(24 * time.Hour) // no zone has this; days have to end all the same
	}
	return next
}
