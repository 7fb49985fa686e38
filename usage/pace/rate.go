package pace

import (
	"math"
	"slices"
	"time"

	"windsock/usage"
)

// kind is how the windows of some meters are used.
type kind struct {
	// recent is the span of the recent rate, and name its name for people.
	recent time.Duration
	name   string
	// trust limits how far the recent rate moves the calm one.
	trust float64
	// fast is the reason of short windows that would run out: they have no run-out
	// verdict and no budget.
	fast string
}

// kinds has a kind for each rhythm. The recent span is as long as the rhythm within a
// window: nights or weekends would distort a shorter one.
var kinds = map[usage.Rhythm]kind{
	usage.RhythmCycle: {recent: 7 * 24 * time.Hour, name: "7d", trust: 1},
	usage.RhythmWeek:  {recent: 24 * time.Hour, name: "24h", trust: 0.5},
	usage.RhythmDay:   {recent: 3 * time.Hour, name: "3h", trust: 0.5, fast: usage.ReasonFastDay},
	// As a day's, an eighth of the window.
	usage.RhythmHours: {recent: 40 * time.Minute, name: "40m", trust: 0.5, fast: usage.ReasonFastHours},
}

// rates are in millionths per nanosecond of counted time.
type rates struct {
	// calm is the expected rate, between the average and the recent one; hot is the
	// higher one of those two.
	average, calm, hot float64
	// both says that the recent rate counts.
	both bool
}

// series returns a meter's samples in its window before the figure, oldest first, since
// the last fall: a fall by more than a step is a new beginning.
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

// rates are the rates of a figure at the end of a series.
//
// The server counts whether or not this machine is awake, so gaps between the samples
// mean nothing. The recent rate starts at the last sample before its span begins.
// Without such a sample, or after a fall of the figure, only the average counts. A
// recent rate above the average counts only after three rises: one large prompt is no
// trend.
//
// The calm rate moves from the average towards the recent rate by d²/(d²+¼) of the way,
// where d is the logarithm of their ratio. A tenth more or less is mere chance, and
// moves it by a thirtieth; twice or half the pace moves it two thirds of the way; no
// recent use, all the way. A day is weaker evidence than a week: in weekly and daily
// windows the calm rate moves half as far.
func (w window) rates(used int64, series []Sample) rates {
	average := float64(used) / float64(w.elapsed)
	alone := rates{average: average, calm: average, hot: average}
	first := w.elapsed - w.recent()
	if first < 0 || len(series) == 0 || w.fell(series[len(series)-1].Used.Millionths(), used) {
		return alone
	}
	// The span starts at the last sample that is not after its beginning.
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

// recent is the span of the recent rate in counted time: seven days are five with five
// work days.
func (w window) recent() time.Duration {
	const week = 7 * 24 * time.Hour
	if w.kind.recent == week {
		return time.Duration(w.days) * 24 * time.Hour
	}
	return w.kind.recent
}

// weight is how far two rates differ, from 0 to 1.
func weight(average, recent float64) float64 {
	if average <= 0 || recent <= 0 {
		return 1
	}
	d := math.Log(recent / average)
	return d * d / (d*d + 0.25)
}

// rises is how often the figure rose, up to used.
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
