package history

import (
	"slices"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/usage"
)

// fill puts samples of one account into a file, without the rules of Record.
func fill(tb testing.TB, s *Store, who usage.Plan, samples []Sample) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(tb.Context(), true); err != nil {
		tb.Fatal(err)
	}
	tx, err := s.db.BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	id, err := s.makePlan(tb.Context(), tx, who)
	if err != nil {
		tb.Fatal(err)
	}
	insert, err := tx.Prepare("INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		tb.Fatal(err)
	}
	defer insert.Close()
	var last int64
	for _, sample := range samples {
		last = max(last+1, sample.At.UnixMilli())
		if _, err := insert.Exec(append([]any{last, last/1000 - sample.At.Unix(), id}, s.meters.stored(sample)...)...); err != nil {
			tb.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
}

// daily puts one sample into each day after a time and before another, of an account of
// its own.
func daily(tb testing.TB, s *Store, after, before time.Time) {
	tb.Helper()
	var samples []Sample
	for at := after.AddDate(0, 0, 1); at.Before(before); at = at.AddDate(0, 0, 1) {
		samples = append(samples, Sample{At: at.Truncate(time.Second), Meter: usage.FlexCredits, Unit: usage.UnitCredits, Used: usage.Micros(0)})
	}
	fill(tb, s, account(tb, "daily"), samples)
}

// flex is a meter without a window.
func flex(used int64) usage.Meter {
	return usage.Meter{ID: usage.FlexCredits, Unit: usage.UnitCredits, State: usage.StateOK, Used: usage.Micros(used)}
}

func count(tb testing.TB, s *Store, query string) int64 {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var n int64
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// Day after day the store closes days and thins samples, and no day's use changes.
func TestTidyKeepsDays(t *testing.T) {
	t.Parallel()
	kathmandu := location(t, "Asia/Kathmandu")
	samples := life(5, 45*24*time.Hour)
	want := useByDay(samples, kathmandu)
	path := tempPath(t)
	var log probetest.Log
	s := openIn(t, path, kathmandu, &log)
	fill(t, s, account(t, "u"), samples)
	end := samples[len(samples)-1]
	rows := len(samples)
	last := end.At
	for _, age := range []int{1, 20, 40, 80, 81, 100, 101, 102, 103, 735, 770, 800, 801} {
		now := end.At.AddDate(0, 0, age)
		daily(t, s, last, now)
		last = now
		// The other account is never tidy's business, and its own is the last one.
		s.Record(t.Context(), snapshot(account(t, "other"), now, flex(int64(age)*credit)))
		s.Record(t.Context(), snapshot(account(t, "u"), now.Add(time.Minute), flex(credit)))
		got, err := s.Days(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, named(slices.DeleteFunc(got, func(d Day) bool { return d.Meter != usage.DailyQuota }), ""), want)
		left := int(count(t, s, "SELECT count(*) FROM sample WHERE meter = 4"))
		if left > rows || t.Failed() {
			t.Fatalf("after %d days: %d samples of %d", age, left, rows)
		}
		rows = left
	}
	if days := int(count(t, s, "SELECT count(*) FROM day WHERE meter = 4")); days != len(want) {
		t.Errorf("%d days closed of %d", days, len(want))
	}
	equal(t, log.String(), "")
	after, err := s.Samples(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	after = slices.DeleteFunc(after, func(s Sample) bool { return s.Meter != usage.DailyQuota })
	ofNoPlan(after)
	checkEdges(t, samples, after)
	equal(t, after, thin(thin(samples, func(s Sample) int64 { return hourOf(s.At.In(kathmandu)) }),
		func(s Sample) int64 { return dayOf(s.At.In(kathmandu)) }))
}

func TestTidyRunsOnceADay(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	tidied := func(after time.Duration) int64 {
		t.Helper()
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(after), credits(int64(after))))
		return count(t, s, "SELECT tidied FROM installation")
	}
	first := tidied(0)
	equal(t, first, noon.Unix())
	equal(t, tidied(23*time.Hour), first)
	equal(t, tidied(25*time.Hour), noon.Add(25*time.Hour).Unix())
	// The clock was ahead.
	equal(t, tidied(2*time.Hour), noon.Add(2*time.Hour).Unix())
}

// A clock that starts in 1970 until it is set does not delay tidying today's samples by
// years.
func TestTidyJumpsOverNothing(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	samples := life(2, 20*24*time.Hour)
	early := samples[0]
	early.At = time.Unix(1000, 0).UTC()
	fill(t, s, account(t, "u"), append([]Sample{early}, samples...))
	end := samples[len(samples)-1].At
	daily(t, s, end, end.AddDate(0, 0, 100))
	for day := range 3 {
		s.Record(t.Context(), snapshot(account(t, "u"), end.AddDate(0, 0, 100+day), flex(int64(day)*credit)))
	}
	days := len(useByDay(samples, time.UTC))
	equal(t, int(count(t, s, "SELECT count(*) FROM day WHERE meter = 4")), 1+days)
	if left := int(count(t, s, "SELECT count(*) FROM sample WHERE meter = 4")); left > len(samples)/2 {
		t.Errorf("%d samples of %d", left, len(samples))
	}
}

// A clock that is years ahead for some hours closes no future day, and thins nothing.
func TestTidyOutlivesAWrongClock(t *testing.T) {
	t.Parallel()
	samples := life(2, 50*24*time.Hour)
	s := open(t, tempPath(t))
	fill(t, s, account(t, "u"), samples)
	now := samples[len(samples)-1].At.Add(time.Hour)
	const later = "SELECT count(*) FROM sample WHERE meter = 4"
	before := count(t, s, later)
	poll := func(at time.Time, used int64) {
		s.Record(t.Context(), snapshot(account(t, "u"), at, flex(used)))
	}
	poll(now, 0)
	for hour := range 3 {
		poll(now.AddDate(4, 0, 0).Add(time.Duration(hour)*time.Hour), int64(1+hour)*credit)
	}
	for hour := range 5 {
		poll(now.Add(time.Duration(hour)*time.Hour), int64(10+hour)*credit)
	}
	days, err := s.Days(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, d := range days {
		if used, _ := d.Used.Micros(); d.Meter == usage.FlexCredits {
			sum += used / credit
		}
	}
	equal(t, sum, 14)
	if after := count(t, s, later); before == 0 || after != before {
		t.Errorf("%d samples of %d", after, before)
	}
	all, err := s.Days(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, named(slices.DeleteFunc(all, func(d Day) bool { return d.Meter != usage.DailyQuota }), ""), useByDay(samples, time.UTC))
}

// After a year ahead and back, all that is taken has its place at the end of that year, and
// its own date: days are told as they were, while the year lasts and after it.
func TestTidyAfterAYearAhead(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	poll := func(at time.Time, used int64) {
		s.Record(t.Context(), snapshot(account(t, "u"), at, flex(used*credit)))
	}
	start := noon
	var used, days int64
	next := func(at time.Time) {
		used++
		days++
		poll(at, used)
	}
	poll(start.Add(-time.Hour), 0)
	for day := range 30 {
		next(start.AddDate(0, 0, day))
	}
	for day := range 3 {
		next(start.AddDate(1, 0, 30+day))
	}
	for day := 30; day < 500; day++ {
		next(start.AddDate(0, 0, day))
		if day%100 != 99 && day != 499 {
			continue
		}
		all, err := s.Days(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var told int64
		for _, d := range all {
			n, _ := d.Used.Micros()
			told += n / credit
		}
		if told != used {
			t.Errorf("after %d days: %d credits told of %d, on %d days of %d", day, told, used, len(all), days)
		}
	}
}
