package history

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// weekly is a meter with a window that ends a week after start.
func weekly(start time.Time, percent int64) usage.Meter {
	return usage.Meter{
		ID: usage.WeeklyQuota, Unit: usage.UnitPercent, State: usage.StateOK,
		Used: usage.Micros(percent * credit), Total: usage.Micros(100 * credit), Remaining: usage.Micros((100 - percent) * credit),
		Window: usage.Window{Start: start, End: start.AddDate(0, 0, 7)},
	}
}

// agos are the ages of the samples relative to the last one, in minutes.
func agos(samples []pace.Sample) []int {
	var all []int
	for _, s := range samples {
		all = append(all, int(samples[len(samples)-1].At.Sub(s.At)/time.Minute))
	}
	return all
}

func TestRecordReturns(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	start := cycle.Start
	poll := func(after time.Duration, meters ...usage.Meter) pace.History {
		return s.Record(t.Context(), snapshot(account(t, "u"), start.Add(after), meters...))
	}
	poll(time.Hour, credits(5*credit), weekly(start, 10), flex(credit))
	poll(2*time.Hour, credits(6*credit), weekly(start, 10), flex(credit))
	h := poll(3*time.Hour, credits(6*credit), weekly(start, 12), flex(2*credit))
	at := func(hours int, used, total int64) pace.Sample {
		return pace.Sample{At: start.Add(time.Duration(hours) * time.Hour), Used: usage.Micros(used * credit), Total: usage.Micros(total * credit)}
	}
	equal(t, h, pace.History{
		usage.PromptCredits: {Samples: []pace.Sample{at(1, 5, 500), at(2, 6, 500), at(3, 6, 500)}},
		usage.WeeklyQuota:   {Samples: []pace.Sample{at(1, 10, 100), at(3, 12, 100)}},
	})

	// Another week of the same cycle.
	week := start.AddDate(0, 0, 7)
	h = poll(8*24*time.Hour, credits(9*credit), weekly(week, 1))
	equal(t, h, pace.History{
		usage.PromptCredits: {Samples: []pace.Sample{at(1, 5, 500), at(2, 6, 500), at(8*24, 9, 500)}},
		usage.WeeklyQuota: {Samples: []pace.Sample{at(8*24, 1, 100)}, Past: []pace.Window{
			{Window: usage.Window{Start: start, End: week}, Used: usage.Micros(12 * credit), Total: usage.Micros(100 * credit)},
		}},
	})
}

// A restart does not change the returned samples, even if another process has written
// in the meantime.
func TestRecordReturnsWhatOthersWrote(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	one, other := open(t, path), open(t, path)
	var last pace.History
	for i := range 6 {
		s := []*Store{one, other}[i%2]
		last = s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*5*time.Minute), credits(int64(i)*credit)))
		equal(t, len(last[usage.PromptCredits].Samples), i+1)
	}
	equal(t, agos(last[usage.PromptCredits].Samples), []int{25, 20, 15, 10, 5, 0})
	third := open(t, path).Record(t.Context(), snapshot(account(t, "u"), noon.Add(25*time.Minute), credits(5*credit)))
	equal(t, third, last)
}

// A clock that is set back hides samples with a later time, and keeps the order.
func TestRecordReturnsInOrder(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	var h pace.History
	for i, minute := range []int{0, 5, 60, 65, 10, 15, 20, 70} {
		h = s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(minute)*time.Minute), credits(int64(i)*credit)))
	}
	equal(t, agos(h[usage.PromptCredits].Samples), []int{70, 65, 60, 55, 50, 0})
	equal(t, figures(allSamples(t, path)), []int64{0, 1, 2, 3, 4, 5, 6, 7})
	again := open(t, path).Record(t.Context(), snapshot(account(t, "u"), noon.Add(70*time.Minute), credits(7*credit)))
	equal(t, again, h)
}

// When a plan changes from a month to a year, the month's samples belong to another
// window, although it began at the same time.
func TestCurrentIsOneWindow(t *testing.T) {
	t.Parallel()
	at := func(hours int, end time.Time) Sample {
		return Sample{At: noon.Add(time.Duration(hours) * time.Hour), Used: usage.Micros(1), Window: usage.Window{Start: cycle.Start, End: end}}
	}
	year := cycle.Start.AddDate(1, 0, 0)
	p := at(3, year)
	equal(t, current(p, []Sample{at(0, cycle.End), at(1, year)}, []Sample{at(2, year.Add(time.Minute)), p}),
		[]Sample{at(1, year), at(2, year.Add(time.Minute)), p})
}

func TestByWindow(t *testing.T) {
	t.Parallel()
	start := cycle.Start
	at := func(hours int, m usage.Meter) Sample {
		return Sample{At: start.Add(time.Duration(hours) * time.Hour), Meter: m.ID, Unit: m.Unit, Used: m.Used, Total: m.Total, Window: m.Window}
	}
	week := start.AddDate(0, 0, 7)
	a, b := at(1, weekly(start, 10)), at(2, weekly(start.Add(time.Minute), 12)) // the bounds differ a little
	c, without := at(170, weekly(week, 1)), Sample{At: week, Used: usage.Micros(credit)}
	equal(t, ByWindow([]Sample{a, without, b, c}), [][]Sample{{a, b}, {c}})
	equal(t, ByWindow(nil), nil)
}
