package pace

import (
	"slices"
	"time"

	"windsock/usage"
)

// calendar is the counted time of a window: all of it, or its work days. Those begin
// and end at local midnights, however long daylight saving makes them.
type calendar struct {
	// spans are in order, with gaps between them.
	spans []workSpan
	// total is the counted time.
	total time.Duration
}

// workSpan is a span of counted time, and the counted time before it.
type workSpan struct {
	start, end time.Time
	before     time.Duration
}

// A longer window counts every day: no plan is this long, and counting days takes time.
const longestWorked = 3 * 366 * 24 * time.Hour

func newCalendar(w usage.Window, o Options) calendar {
	var c calendar
	if o.everyDay() || w.End.Sub(w.Start) > longestWorked {
		return c.plus(w.Start, w.End)
	}
	loc := o.location()
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

// Counted are the parts of a window whose time counts, in order: all of it, or its work
// days. Use is even over them.
func Counted(w usage.Window, o Options) (parts []usage.Window) {
	if !w.End.After(w.Start) {
		return nil
	}
	for _, s := range newCalendar(w, o).spans {
		parts = append(parts, usage.Window{Start: s.start, End: s.end})
	}
	return parts
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

// worked is the counted time up to t.
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

// at is the first moment with that much counted time before it: no later than the end
// of the last span, no earlier than the start of the first.
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
func (o Options) everyDay() bool {
	n := 0
	for day := time.Sunday; day <= time.Saturday; day++ {
		if slices.Contains(o.WorkDays, day) {
			n++
		}
	}
	return n == 0 || n == 7
}

func (o Options) location() *time.Location {
	if o.Location == nil {
		return time.UTC
	}
	return o.Location
}

// midnightAfter is the next start of a local day after t.
//
// Clocks may skip a midnight or show it twice, and time.Date does not document its
// result then, so both cases are handled here.
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
		return t.Add(24 * time.Hour) // in no known zone; but the loop over days has to end
	}
	return next
}
