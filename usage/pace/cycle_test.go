package pace_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
	_ "time/tzdata" // the same days on every machine

	"windsock/usage"
	"windsock/usage/pace"
)

// A cycle is a month of use of a plan: the demand, whether or not the plan covers it.
type cycle struct {
	usage.Window

	total float64
	// uses are in order; demand is their sum, in credits.
	uses   []use
	demand float64
	// out is when the plan is used up; zero when it lasts.
	out  time.Time
	naps []usage.Window
}

// use is a prompt, and the use so far including it.
type use struct {
	at  time.Time
	sum float64
}

// used is the demand up to a moment, whether or not the plan covers it.
func (c *cycle) used(at time.Time) float64 {
	i, _ := slices.BinarySearchFunc(c.uses, at, func(u use, at time.Time) int {
		if u.at.After(at) {
			return 1
		}
		return -1
	})
	if i == 0 {
		return 0
	}
	return c.uses[i-1].sum
}

// kind is a way of using a plan.
type kind struct {
	name string
	// scatter is how much days differ: the standard deviation of a logarithm.
	scatter float64
	// demand is the demand as a share of the plan.
	demand func(r *rand.Rand) float64
	// shape draws the relative use at a time.
	shape func(r *rand.Rand, c *cycle) func(at time.Time) float64
	// asleep says that the machine sleeps at night.
	asleep bool
	pace   pace.Options
}

// some is anything from far too little to far too much.
func some(r *rand.Rand) float64 { return 0.3 + 1.3*r.Float64() }

// kinds differ only in their use over time: the rules do not know which kind they see.
func kinds(home *time.Location) []kind {
	hour := func(at time.Time) int { return at.In(home).Hour() }
	awake := func(at time.Time) bool { return hour(at) >= 8 && hour(at) < 23 }
	office := func(at time.Time) bool { return hour(at) >= 9 && hour(at) < 18 }
	weekend := func(at time.Time) bool {
		day := at.In(home).Weekday()
		return day == time.Saturday || day == time.Sunday
	}
	part := func(c *cycle, at time.Time) float64 { return float64(at.Sub(c.Start)) / float64(c.End.Sub(c.Start)) }
	when := func(yes bool, more, less float64) float64 {
		if yes {
			return more
		}
		return less
	}
	fixed := func(shape func(time.Time) float64) func(*rand.Rand, *cycle) func(time.Time) float64 {
		return func(*rand.Rand, *cycle) func(time.Time) float64 { return shape }
	}
	return []kind{
		// Agents that work around the clock.
		{name: "steady", scatter: 0.1, demand: some, shape: fixed(func(time.Time) float64 { return 1 })},
		// An office from Monday to Friday, with work days set.
		{
			name: "working days", scatter: 0.4, demand: some, asleep: true,
			shape: fixed(func(at time.Time) float64 { return when(office(at) && !weekend(at), 1, 0) }),
			pace: pace.Options{Location: home, WorkDays: []time.Weekday{
				time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday,
			}},
		},
		// Weekends off, without work days set.
		{
			name: "weekend off", scatter: 0.4, demand: some, asleep: true,
			shape: fixed(func(at time.Time) float64 {
				return when(awake(at) && !weekend(at), when(office(at), 1, 0.3), 0)
			}),
		},
		// The machine sleeps at night, while another one works on a little.
		{
			name: "nightly sleep", scatter: 0.4, demand: some, asleep: true,
			shape: fixed(func(at time.Time) float64 { return when(awake(at), 1, 0.1) }),
		},
		// Most of it in some hours of some days.
		{name: "bursts", scatter: 0.4, demand: some, asleep: true, shape: func(r *rand.Rand, c *cycle) func(time.Time) float64 {
			bursts := make([]time.Time, (8+r.IntN(9))*int(c.End.Sub(c.Start)/time.Hour)/(30*24))
			for i := range bursts {
				bursts[i] = c.Start.Add(time.Duration(r.Float64() * float64(c.End.Sub(c.Start))))
			}
			length := 3*time.Hour + time.Duration(r.Float64()*float64(5*time.Hour))
			return func(at time.Time) float64 {
				v := when(awake(at), 1, 0)
				for _, b := range bursts {
					if since := at.Sub(b); since >= 0 && since < length && awake(at) {
						v += 12
					}
				}
				return v
			}
		}},
		{name: "sprint then idle", scatter: 0.4, demand: some, asleep: true, shape: func(r *rand.Rand, c *cycle) func(time.Time) float64 {
			turn := 0.2 + 0.3*r.Float64()
			return func(at time.Time) float64 { return when(awake(at), when(part(c, at) < turn, 1, 0.08), 0) }
		}},
		{name: "idle then sprint", scatter: 0.4, demand: some, asleep: true, shape: func(r *rand.Rand, c *cycle) func(time.Time) float64 {
			turn := 0.4 + 0.3*r.Float64()
			return func(at time.Time) float64 { return when(awake(at), when(part(c, at) < turn, 0.08, 1), 0) }
		}},
		{
			name: "run-out in mid-cycle", scatter: 0.4, asleep: true,
			demand: func(r *rand.Rand) float64 { return 1 / (0.35 + 0.3*r.Float64()) },
			shape:  fixed(func(at time.Time) float64 { return when(awake(at), 1, 0) }),
		},
	}
}

// prices are what prompts cost, in credits.
var prices = []float64{0.5, 1, 1, 1, 2, 3}

// live draws a cycle.
func (k kind) live(r *rand.Rand, w usage.Window, home *time.Location) *cycle {
	const slot, price = 30 * time.Minute, 8.5 / 6
	c := &cycle{Window: w, total: 500}
	demand := k.demand(r) * c.total
	shape := k.shape(r, c)
	day, today := -1, 0.0
	var weights []float64
	sum := 0.0
	for at := c.Start; at.Before(c.End); at = at.Add(slot) {
		if d := at.In(home).YearDay(); d != day {
			day, today = d, math.Exp(k.scatter*r.NormFloat64())
		}
		weights = append(weights, today*shape(at))
		sum += weights[len(weights)-1]
	}
	for i, weight := range weights {
		begin := c.Start.Add(time.Duration(i) * slot)
		var at []time.Time
		for range poisson(r, demand/price*weight/sum) {
			at = append(at, begin.Add(time.Duration(r.Float64()*float64(slot))))
		}
		slices.SortFunc(at, time.Time.Compare)
		for _, t := range at {
			c.demand += prices[r.IntN(len(prices))]
			c.uses = append(c.uses, use{t, c.demand})
			if c.demand >= c.total && c.out.IsZero() {
				c.out = t
			}
		}
	}
	if k.asleep {
		c.naps = nights(r, w, home)
	}
	return c
}

// poisson draws how often an event happens, for a small expected number.
func poisson(r *rand.Rand, expected float64) int {
	n, product, least := 0, r.Float64(), math.Exp(-expected)
	for product > least {
		product *= r.Float64()
		n++
	}
	return n
}

// nights are the hours of a machine that sleeps from eleven to eight, give or take half
// an hour.
func nights(r *rand.Rand, w usage.Window, home *time.Location) []usage.Window {
	var naps []usage.Window
	year, month, day := w.Start.In(home).Date()
	for d := -1; ; d++ {
		late := func() time.Duration { return time.Duration((r.Float64() - 0.5) * float64(time.Hour)) }
		night := usage.Window{
			Start: time.Date(year, month, day+d, 23, 0, 0, 0, home).Add(late()),
			End:   time.Date(year, month, day+d+1, 8, 0, 0, 0, home).Add(late()),
		}
		if night.Start.After(w.End) {
			return naps
		}
		naps = append(naps, night)
	}
}
