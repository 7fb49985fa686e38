package account

import (
	"slices"
	"time"
)

const fiveHours = 5 * time.Hour

// whole is a whole five-hour quota, in the unit of limits.
const whole = 1_000_000

// weekInFiveHours is the weekly quota in five-hour quotas.
const weekInFiveHours = 30

// A limit is a quota as the scenario begins. The zero limit is not part of the plan.
type limit struct {
	left  int64 // in millionths
	reset time.Duration
}

// untouched is a quota whose window has not begun.
var untouched = limit{left: whole, reset: -1}

// A share is what a group of models has as the scenario begins.
type share struct {
	modelGroup

	fiveHour, weekly limit
	// perHour is what a time-lapse uses of the five-hour quota in an hour, in
	// millionths; from is when it begins to.
	perHour int64
	from    time.Duration
}

// A period is a quota in its present window.
type period struct {
	id, name, window string
	length           time.Duration
	used, whole      int64
	end              time.Time // zero while it has not begun
}

// buckets are the quotas of the group. A window begins with the first use after the
// end of the one before.
func (s share) buckets(c Clock) []Bucket {
	var all []*period
	for _, p := range []struct {
		period

		limit limit
	}{
		{period{id: s.id + "-weekly", name: "Weekly Limit Remaining", window: "weekly", length: week, whole: weekInFiveHours * whole}, s.weekly},
		{period{id: s.id + "-5h", name: "Five Hour Limit Remaining", window: "5h", length: fiveHours, whole: whole}, s.fiveHour},
	} {
		if p.limit == (limit{}) {
			continue
		}
		p.used = (whole - p.limit.left) * (p.whole / whole)
		switch {
		case p.used == 0:
		case c.Spending:
			p.end = c.Start.Add(p.limit.reset).Truncate(time.Second)
		default:
			p.end = c.next(p.limit.reset, p.length)
		}
		all = append(all, &p.period)
	}
	if c.Spending {
		s.spend(c, all)
	}
	buckets := make([]Bucket, 0, len(all))
	for _, p := range all {
		b := Bucket{ID: p.id, Name: p.name, Window: p.window, Left: float32(p.whole-p.used) / float32(p.whole), Reset: p.end}
		if p.end.IsZero() {
			b.Reset = c.Now.Add(p.length).Truncate(time.Second)
		}
		buckets = append(buckets, b)
	}
	return buckets
}

// spend uses the quotas up from the lapse's start until now. While one of them is used
// up, nothing is used, and no window begins.
func (s share) spend(c Clock, all []*period) {
	from := c.Start.Add(s.from)
	for at := c.Start; ; {
		using := s.perHour > 0 && !at.Before(from) && !slices.ContainsFunc(all, (*period).usedUp)
		until := c.Now
		if at.Before(from) && from.Before(until) {
			until = from
		}
		for _, p := range all {
			if using && p.end.IsZero() {
				p.end = at.Add(p.length).Truncate(time.Second)
			}
			if !p.end.IsZero() && p.end.Before(until) {
				until = p.end
			}
		}
		if using {
			use(all, s.perHour*(until.Unix()-at.Unix())/int64(time.Hour/time.Second))
		}
		for _, p := range all {
			if !p.end.IsZero() && !p.end.After(until) {
				p.used, p.end = 0, time.Time{}
			}
		}
		if !until.Before(c.Now) {
			return
		}
		at = until
	}
}

func (p *period) usedUp() bool { return p.used >= p.whole }

// use takes the same amount from all quotas, as far as each of them allows.
func use(all []*period, amount int64) {
	for _, p := range all {
		amount = min(amount, p.whole-p.used)
	}
	for _, p := range all {
		p.used += amount
	}
}
