package words

import "time"

// soonest is how near a moment of a forecast has to be for its hour to be told.
const soonest = 6 * time.Hour

// evening is the hour at which it begins.
const evening = 18

// rough is a moment of a forecast: "Thu", "next Wed", "18 Feb", "this evening" or
// "15:00". More would claim to know more than it does. at leads to it where it stands
// alone. over says that it is not ahead any more, to the hour.
func (w Words) rough(t, now time.Time) (text, at string, over bool) {
	local := w.local(t)
	switch days := daysBetween(w.local(now), local); {
	case t.Sub(now) <= soonest:
		hour := local.Add(30 * time.Minute)
		_, minute, second := hour.Clock()
		hour = hour.Add(-time.Duration(minute)*time.Minute - time.Duration(second)*time.Second)
		return hour.Format(w.clock()), "around ", !hour.After(now)
	case days == 0 && local.Hour() < 12:
		return "this morning", "", false
	case days == 0 && local.Hour() < evening:
		return "this afternoon", "", false
	case days == 0:
		return "this evening", "", false
	case days < 7:
		return local.Format("Mon"), "on ", false
	case days < 14:
		return local.Format("next Mon"), "", false
	default:
		return local.Format("2 Jan"), "on ", false
	}
}

// daysBetween counts midnights.
func daysBetween(from, to time.Time) int {
	date := func(t time.Time) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(date(to).Sub(date(from)) / (24 * time.Hour))
}

// span is when something is to happen if it does; without its end, maybe not at all. It
// is "" without a beginning.
func (w Words) span(from, to, now time.Time) string {
	if from.IsZero() {
		return ""
	}
	first, at, begun := w.rough(from, now)
	if to.IsZero() {
		if begun {
			return "at any time"
		}
		return "from " + first + " on"
	}
	last, _, over := w.rough(to, now)
	switch {
	case over:
		return "at any moment"
	case begun:
		return "by " + last
	case first == last:
		return at + first
	default:
		return "between " + first + " and " + last
	}
}

// until says of the prompt credits how long they last; t is zero when that may be until
// the reset.
func (w Words) until(t, now time.Time) string {
	if t.IsZero() {
		return "may run out"
	}
	text, at, over := w.rough(t, now)
	switch {
	case over:
		return "run out soon"
	case at == "":
		return "last until " + text // vague enough
	default:
		return "last until about " + text
	}
}

// byEvening is a part of the time until a reset: until this evening, if that is ahead.
func (w Words) byEvening(reset, now time.Time) string {
	local := w.local(now)
	year, month, day := local.Date()
	begins := time.Date(year, month, day, evening, 0, 0, 0, local.Location())
	if now.Before(begins) && begins.Before(reset) {
		return "by the evening"
	}
	return "before the reset"
}
