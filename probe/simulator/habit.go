package simulator

import "time"

// A habit is how somebody uses an account in a time-lapse. They sit down at the
// same hours of a working day, some days do more than on others, have a hot
// afternoon now and then, and weeks in which a release is near or nobody is
// there. Days and hours are those of UTC, whatever the zone of the machine, so
// that a lapse tells the same everywhere.
//
// What has been used at a time follows from that time and the lapse's start
// alone: there is no state, and the days differ by a hash of their number.
type habit struct {
	// weekday and hour are when a lapse of the scenario begins.
	weekday time.Weekday
	hour    int
	// hours are those at work; none is office. daily says that there are no
	// weekends.
	hours []span
	daily bool
	// perHour is what an ordinary hour at work takes: hundredths of a credit,
	// ten-thousandths of an ACU, or millionths of a percent of the day's quota.
	perHour int64
	// phases are what becomes of that in the course of time; after the last one
	// the first comes again. None is an even pace.
	phases []phase
	// hotDays is how many days there are for each one with a hot afternoon, 0 for
	// no such one.
	hotDays uint64
	// daysPerWeek is how many days' quotas make a week's; extra is what becomes
	// of the balance.
	daysPerWeek int64
	extra       extra
}

// A phase is a number of days at a share of the ordinary use.
type phase struct{ days, percent int64 }

// A span is a part of a day, in hours.
type span struct{ from, until int64 }

var (
	office = []span{{9, 12}, {13, 18}}
	// long is for lapses in which a day takes a minute: nobody wants to watch an
	// evening off.
	long = []span{{8, 12}, {13, 18}, {19, 22}}

	// hot is the part of a hot afternoon in which a day's use is hotTimes as much.
	hot      = span{14, 17}
	hotTimes = int64(3)
)

// moment is when a lapse begins that is asked for at a time: the next of the
// habit's weekday and hour.
func (h habit) moment(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	d += int(h.weekday-now.UTC().Weekday()+7) % 7
	t := time.Date(y, m, d, h.hour, 0, 0, 0, time.UTC)
	if t.Before(now) {
		t = t.AddDate(0, 0, 7)
	}
	return t
}

// secondsPerHour is an ordinary hour of work: seconds that weigh percent.
const secondsPerHour = 3600 * 100

// work is how much is done from one time until another in a lapse that began at
// start, an hour being secondsPerHour. It is additive, and what is within a
// second is rounded down.
func (h habit) work(start, from, until time.Time) int64 {
	const length = 24 * 3600
	a, b := from.Unix(), until.Unix()
	var done int64
	for day := a / length; day*length < b; day++ {
		weight, burst := h.weight(day, day-start.Unix()/length)
		if weight == 0 {
			continue
		}
		within := func(s span) int64 {
			return max(min(b, day*length+s.until*3600)-max(a, day*length+s.from*3600), 0)
		}
		hours := h.hours
		if hours == nil {
			hours = office
		}
		for _, s := range hours {
			done += weight * within(s)
		}
		if burst {
			done += weight * (hotTimes - 1) * within(hot)
		}
	}
	return done
}

// weight is the use on a day in percent of the ordinary, and whether its
// afternoon is hot. The day is counted from 1970, nth from the lapse's first.
func (h habit) weight(day, nth int64) (percent int64, burst bool) {
	switch time.Weekday((day + int64(time.Thursday)) % 7) { // that of 1 January 1970
	case time.Saturday, time.Sunday:
		if !h.daily {
			return 0, false
		}
	default:
	}
	const least, spread = 80, 41 // 80 to 120 percent
	chance := mix(uint64(nth))   //nolint:gosec // a number to mix
	percent = least + int64(chance%spread)
	burst = h.hotDays != 0 && chance>>32%h.hotDays == 0
	return percent * h.phase(nth) / 100, burst
}

// phase is the percentage of the nth day's.
func (h habit) phase(nth int64) int64 {
	var all int64
	for _, p := range h.phases {
		all += p.days
	}
	if all == 0 {
		return 100
	}
	nth %= all
	for _, p := range h.phases {
		if nth -= p.days; nth < 0 {
			return p.percent
		}
	}
	return 0
}

// mix spreads a number over all bits (the last step of SplitMix64).
func mix(n uint64) uint64 {
	n = (n + 1) * 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
