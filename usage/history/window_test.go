package history

import (
	"slices"
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
	at := func(hours int, used int64, end time.Time) pace.Sample {
		return pace.Sample{At: start.Add(time.Duration(hours) * time.Hour), Used: usage.Micros(used * credit), End: end}
	}
	week := start.AddDate(0, 0, 7)
	equal(t, h, pace.History{
		usage.PromptCredits: {at(1, 5, cycle.End), at(2, 6, cycle.End), at(3, 6, cycle.End)},
		usage.WeeklyQuota:   {at(1, 10, week), at(3, 12, week)},
	})

	// Another week of the same cycle.
	h = poll(8*24*time.Hour, credits(9*credit), weekly(week, 1))
	equal(t, h, pace.History{
		usage.PromptCredits: {at(1, 5, cycle.End), at(2, 6, cycle.End), at(8*24, 9, cycle.End)},
		usage.WeeklyQuota:   {at(8*24, 1, week.AddDate(0, 0, 7))},
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
		equal(t, len(last[usage.PromptCredits]), i+1)
	}
	equal(t, agos(last[usage.PromptCredits]), []int{25, 20, 15, 10, 5, 0})
	third := open(t, path).Record(t.Context(), snapshot(account(t, "u"), noon.Add(25*time.Minute), credits(5*credit)))
	equal(t, third, last)
}

// A month with a change at every poll returns some hundred samples: all of the last
// days, and enough of the others to see every turn.
func TestRecordReturnsFew(t *testing.T) {
	t.Parallel()
	var samples []Sample
	for at := cycle.Start; at.Before(cycle.End.Add(-time.Hour)); at = at.Add(5 * time.Minute) {
		samples = append(samples, Sample{At: at, Meter: usage.PromptCredits, Unit: usage.UnitCredits, Used: usage.Micros(int64(len(samples)) * 10_000), Window: cycle})
	}
	fall := len(samples) / 2
	for i := fall; i < len(samples); i++ {
		used, _ := samples[i].Used.Micros()
		samples[i].Used = usage.Micros(used - 5*credit)
	}
	path := tempPath(t)
	fill(t, open(t, path), account(t, "u"), samples)
	last := samples[len(samples)-1]
	s := open(t, path)
	m := credits(0)
	m.Used = last.Used
	got := s.Record(t.Context(), snapshot(account(t, "u"), last.At, m))[usage.PromptCredits]
	if len(got) < 300 || len(got) > maxPaced+2 {
		t.Errorf("%d samples", len(got))
	}
	if !slices.IsSortedFunc(got, func(a, b pace.Sample) int { return a.At.Compare(b.At) }) {
		t.Error("out of order")
	}
	has := func(want Sample) {
		t.Helper()
		if !slices.ContainsFunc(got, func(s pace.Sample) bool { return s.At.Equal(want.At) && s.Used == want.Used }) {
			t.Errorf("lost %v", want)
		}
	}
	has(samples[fall-1])
	has(samples[fall])
	gap := time.Duration(0)
	for i, s := range got[1:] {
		if step := s.At.Sub(got[i].At); s.At.After(last.At.AddDate(0, 0, -10)) {
			gap = max(gap, step)
		}
	}
	if gap > 30*time.Minute {
		t.Errorf("a gap of %v in the last ten days", gap)
	}
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
	equal(t, agos(h[usage.PromptCredits]), []int{70, 65, 60, 55, 50, 0})
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
