package pace_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
	_ "time/tzdata" // the same days on every machine

	"windsock/usage"
)

// A habit is a way in which made-up people use a plan. How much they use of it, nobody
// told them: their plan fits some, and not others.
type habit struct {
	name string
	// works is the chance that something is used on a weekday, and rests on a weekend.
	works, rests float64
	// scatter is how much days differ, and drift how much months do: standard deviations
	// of a logarithm.
	scatter, drift float64
	// from and to are hours of the day, local time.
	from, to float64
}

var habits = []habit{
	{"every_day", 0.9, 0.8, 0.5, 0.4, 8, 23},
	{"office", 0.85, 0.05, 0.4, 0.4, 8.5, 18},
	{"evenings", 0.5, 0.6, 0.5, 0.5, 15, 24},
	{"bursts", 0.3, 0.2, 0.9, 0.6, 9, 22},
	{"changing", 0.6, 0.3, 0.6, 0.9, 8, 20},
}

// use is a use of a plan, and the sum of all up to it.
type use struct {
	at  time.Time
	sum float64
}

// live draws the uses of a person on some days.
func (h habit) live(r *rand.Rand, days int, home *time.Location) (uses []use) {
	level, sum := 1.0, 0.0
	shift := 1.5 * r.NormFloat64()
	away := 0
	for day := range days {
		if day%30 == 0 {
			level = math.Exp(h.drift * r.NormFloat64())
		}
		if away > 0 {
			away--
			continue
		}
		if r.Float64() < 0.01 { // a journey
			away = 3 + r.IntN(10)
		}
		midnight := time.Date(2026, 1, 1+day, 0, 0, 0, 0, home)
		chance := h.works
		if weekday := midnight.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			chance = h.rests
		}
		if r.Float64() > chance {
			continue
		}
		// One thing leads to another: a day is long or short, and some uses cost much.
		amount := level * math.Exp(h.scatter*r.NormFloat64())
		hour := max(0, h.from+shift+1.5*r.ExpFloat64())
		for hour < min(h.to+shift, 24) {
			sum += amount * math.Exp(1.6*r.NormFloat64())
			uses = append(uses, use{midnight.Add(time.Duration(hour * float64(time.Hour))).Truncate(time.Second), sum})
			if hour += 0.1 + 1.2*r.ExpFloat64(); r.Float64() < 0.12 {
				break
			}
		}
	}
	return uses
}

// demand is the sum of the uses up to a moment.
func demand(uses []use, at time.Time) float64 {
	i, _ := slices.BinarySearchFunc(uses, at, func(u use, at time.Time) int {
		if u.at.After(at) {
			return 1
		}
		return -1
	})
	if i == 0 {
		return 0
	}
	return uses[i-1].sum
}

// span is a kind of window: that of a meter, so long, and looked at so often.
type span struct {
	name   string
	meter  usage.MeterID
	length time.Duration
	days   int // that people are followed for
	every  time.Duration
}

var spans = []span{
	{"cycle", usage.PromptCredits, 30 * 24 * time.Hour, 240, 24 * time.Hour},
	{"week", usage.WeeklyQuota, 7 * 24 * time.Hour, 140, 12 * time.Hour},
	{"day", usage.DailyQuota, 24 * time.Hour, 60, time.Hour},
}

// windows are the windows of some days, one after the other.
func (s span) windows(home *time.Location) (all []usage.Window) {
	begin := time.Date(2026, 1, 1, 9, 0, 0, 0, home)
	for range int(time.Duration(s.days)*24*time.Hour/s.length) - 1 {
		all = append(all, usage.Window{Start: begin, End: begin.Add(s.length)})
		begin = begin.Add(s.length)
	}
	return all
}

// allowance is a total for a person: it is what they use in the middle one of their
// windows, or up to a third more, or down to three fifths of it.
func allowance(r *rand.Rand, uses []use, windows []usage.Window) float64 {
	var all []float64
	for _, w := range windows {
		if used := demand(uses, w.End) - demand(uses, w.Start); used > 0 {
			all = append(all, used)
		}
	}
	slices.Sort(all)
	return all[len(all)/2] / (0.75 + 0.9*r.Float64())
}
