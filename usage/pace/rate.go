package pace

import (
	"math"
	"slices"
	"time"

	"windsock/usage"
)

// kind is how the windows of some meters are used.
type kind struct {
	// recent is the stretch that the recent rate is taken from, and name what
	// people call it.
	recent time.Duration
	name   string
	// trust is how far at most the recent rate moves the calm one.
	trust float64
	// daily windows are not worth an alarm, and have no budget.
	daily bool
}

// kinds are by the rhythm of a meter. A stretch is as long as the rhythm that a window
// has in it: a shorter one has nights or weekends of its own.
var kinds = map[usage.Rhythm]kind{
	usage.RhythmCycle: {recent: 7 * 24 * time.Hour, name: "7d", trust: 1},
	usage.RhythmWeek:  {recent: 24 * time.Hour, name: "24h", trust: 0.5},
	usage.RhythmDay:   {recent: 3 * time.Hour, name: "3h", trust: 0.5, daily: true},
}

// rates are in millionths a nanosecond of time that counts.
type rates struct {
	// calm is the one that is expected, between the average and the recent one;
	// hot is the higher one of those.
	average, calm, hot float64
	// both says that the recent rate took part.
	both bool
}

// series is what a meter said in its window before the figure, oldest first, as
// far as it never fell: a fall by more than a step is a new beginning.
func (w window) series(samples []Sample) []Sample {
	var kept []Sample
	for _, s := range samples {
		inWindow := !s.At.Before(w.start) && s.At.Before(w.at) && s.End.Sub(w.end).Abs() < w.end.Sub(w.start)/2
		if inWindow && s.Used.Known() && !s.Used.Negative() {
			kept = append(kept, s)
		}
	}
	byTime := func(a, b Sample) int { return a.At.Compare(b.At) }
	if !slices.IsSortedFunc(kept, byTime) {
		slices.SortStableFunc(kept, byTime)
	}
	begin := 0
	for i := 1; i < len(kept); i++ {
		if w.fell(kept[i-1].Used.Millionths(), kept[i].Used.Millionths()) {
			begin = i
		}
	}
	return kept[begin:]
}

func (w window) fell(from, to int64) bool { return to < from && from-to > w.step }

// rates are those of a figure at the end of a series.
//
// The server counts whether or not this machine is awake, so gaps between the
// samples mean nothing. The recent rate is taken from the last sample before its
// stretch begins; where there is none, or the figure has fallen since, the
// average stands alone. Above the average it counts after three rises only: one
// large prompt is no trend.
//
// The calm rate goes from the average towards the recent rate as far as the two
// differ: d²/(d²+¼) of the way, d being the logarithm of their ratio. A tenth
// more or less, which is mere chance, moves it by a thirtieth; at twice or half
// the pace it is two thirds of the way; when nothing was used of late, all of
// it. A day says less than a week: in a weekly and a daily window it is half of
// that.
func (w window) rates(used int64, series []Sample) rates {
	average := float64(used) / float64(w.elapsed)
	alone := rates{average: average, calm: average, hot: average}
	first := w.elapsed - w.recent()
	if first < 0 || len(series) == 0 || w.fell(series[len(series)-1].Used.Millionths(), used) {
		return alone
	}
	// The sample that the stretch begins with is the last one not after it.
	i, _ := slices.BinarySearchFunc(series, first, func(s Sample, begin time.Duration) int {
		if w.calendar.worked(s.At) > begin {
			return 1
		}
		return -1
	})
	if i == 0 {
		return alone
	}
	since := series[i-1:]
	lasted := w.elapsed - w.calendar.worked(since[0].At)
	recent := max(0, float64(used)-float64(since[0].Used.Millionths())) / float64(lasted)
	if recent > average && rises(since, used) < 3 {
		return alone
	}
	return rates{
		average: average,
		calm:    average + w.kind.trust*weight(average, recent)*(recent-average),
		hot:     max(average, recent),
		both:    true,
	}
}

// recent is the stretch of the recent rate in time that counts: seven days are
// five where five of them are worked.
func (w window) recent() time.Duration {
	const week = 7 * 24 * time.Hour
	if w.kind.recent == week {
		return time.Duration(w.days) * 24 * time.Hour
	}
	return w.kind.recent
}

// weight is how far two rates are apart, from 0 to 1.
func weight(average, recent float64) float64 {
	if average <= 0 || recent <= 0 {
		return 1
	}
	d := math.Log(recent / average)
	return d * d / (d*d + 0.25)
}

// rises is how often the figure rose to used.
func rises(series []Sample, used int64) int {
	n := 0
	for i, s := range series {
		next := used
		if i+1 < len(series) {
			next = series[i+1].Used.Millionths()
		}
		if next > s.Used.Millionths() {
			n++
		}
	}
	return n
}
