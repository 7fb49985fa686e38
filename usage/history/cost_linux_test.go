package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"windsock/usage"
)

// fiveYears is a database of five years in which two meters changed at every poll, day
// and night, after thinning.
var fiveYears = made(func(tb testing.TB, path string) {
	tb.Helper()
	s := New(Config{Path: path, Location: time.UTC})
	fill(tb, s, account(tb, "u"), decade(noon.AddDate(-5, 0, 0), noon))
	if err := s.with(tb.Context(), true, func(ctx context.Context) error { return closeAll(ctx, s, noon) }); err != nil {
		tb.Fatal(err)
	}
	// As the first edition left it; the present one makes the past windows.
	if _, err := s.db.ExecContext(tb.Context(), "DROP TABLE past; PRAGMA user_version = 1"); err != nil {
		tb.Fatal(err)
	}
	if err := s.shut(); err != nil {
		tb.Fatal(err)
	}
	if _, err := s.Days(tb.Context(), noon); err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
})

// closeAll closes days as if tidy had run on each of them.
func closeAll(ctx context.Context, s *Store, now time.Time) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	until := s.date(now, -closedAfter)
	all, err := seriesBetween(ctx, tx, 0, math.MaxInt64)
	for _, one := range all {
		err = errors.Join(err, s.closeDays(ctx, tx, one, "", until))
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE installation SET closed = ?, hourly = ?, daily = ?", until, s.date(now, -hourlyAfter), s.date(now, -dailyAfter)); err != nil {
		return err
	}
	return tx.Commit()
}

// decade are samples of a daily and a weekly quota every five minutes, thinned by their
// age at the end.
func decade(start, end time.Time) []Sample {
	hourly, daily := end.AddDate(0, 0, -hourlyAfter), end.AddDate(0, 0, -dailyAfter)
	var samples []Sample
	every := 5 * time.Minute
	for at := start; at.Before(end); at = at.Add(every) {
		next := at.Add(every)
		date, hour := at.Format(dateFormat) != next.Format(dateFormat), at.Hour() != next.Hour()
		day, week := at.Truncate(24*time.Hour), at.Truncate(7*24*time.Hour)
		turns := !next.Truncate(24 * time.Hour).Equal(day)
		if (at.Before(daily) && !date && !turns) || (at.Before(hourly) && !hour) {
			continue
		}
		for _, m := range []struct {
			id     usage.MeterID
			window usage.Window
		}{
			{usage.DailyQuota, usage.Window{Start: day, End: day.AddDate(0, 0, 1)}},
			{usage.WeeklyQuota, usage.Window{Start: week, End: week.AddDate(0, 0, 7)}},
		} {
			share := float64(at.Sub(m.window.Start)) / float64(m.window.End.Sub(m.window.Start))
			used := int64(share * 100 * credit)
			samples = append(samples, Sample{
				At: at, Meter: m.id, Unit: usage.UnitPercent,
				Used: usage.Micros(used), Total: usage.Micros(100 * credit), Remaining: usage.Micros(100*credit - used), Window: m.window,
			})
		}
	}
	return samples
}

func BenchmarkDays(b *testing.B) {
	path := fiveYears(b)
	s := open(b, path)
	b.Logf("%d samples, %d closed days, %.1f MB", countOpen(b, s, "SELECT count(*) FROM sample"),
		countOpen(b, s, "SELECT count(*) FROM day"), float64(stat(b, path).Size())/1e6)
	for _, bb := range []struct {
		name  string
		since time.Time
	}{{"30_days", noon.AddDate(0, 0, -29)}, {"5_years", time.Time{}}} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				days, err := s.Days(b.Context(), bb.since)
				if err != nil || len(days) < 50 {
					b.Fatal(len(days), err)
				}
			}
		})
	}
}

func countOpen(tb testing.TB, s *Store, query string) int64 {
	tb.Helper()
	if _, err := s.Days(tb.Context(), noon); err != nil {
		tb.Fatal(err)
	}
	return count(tb, s, query)
}

// BenchmarkSamples is the chart of a month: of one meter, and for comparison of all.
func BenchmarkSamples(b *testing.B) {
	s := open(b, fiveYears(b))
	month := noon.AddDate(0, 0, -31)
	for _, bb := range []struct {
		name  string
		query func() ([]Sample, error)
	}{
		{"a_meter", func() ([]Sample, error) { return s.SamplesOf(b.Context(), someone(), usage.WeeklyQuota, month) }},
		{"all_meters", func() ([]Sample, error) { return s.Samples(b.Context(), month) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				samples, err := bb.query()
				if err != nil || len(samples) < 1000 {
					b.Fatal(len(samples), err)
				}
			}
		})
	}
}

// BenchmarkMoved is what a spend report of a week asks.
func BenchmarkMoved(b *testing.B) {
	s := open(b, fiveYears(b))
	for b.Loop() {
		moves, err := s.Moved(b.Context(), someone(), noon.AddDate(0, 0, -7), noon)
		if err != nil || len(moves) != 2 {
			b.Fatal(moves, err)
		}
	}
}

// BenchmarkRecord is a poll: one with a change, one without, and the first of a
// process.
func BenchmarkRecord(b *testing.B) {
	poll := func(b *testing.B, s *Store, i int, used int64) {
		b.Helper()
		at := noon.Add(time.Duration(i) * 5 * time.Minute)
		h := s.Record(b.Context(), snapshot(account(b, "u"), at, weekly(at.Truncate(7*24*time.Hour), used)))
		if len(h) == 0 {
			b.Fatal("no history")
		}
	}
	b.Run("changed", func(b *testing.B) {
		s, i := open(b, fiveYears(b)), 0
		for b.Loop() {
			poll(b, s, i, int64(i%100))
			i++
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		s := open(b, fiveYears(b))
		for b.Loop() {
			poll(b, s, 0, 7)
		}
	})
	b.Run("three_plans_changed", func(b *testing.B) {
		s, i := open(b, fiveYears(b)), 0
		for b.Loop() {
			at := noon.Add(time.Duration(i) * 5 * time.Minute)
			for _, one := range threePlans(at, int64(i%100)) {
				if len(s.Record(b.Context(), one)) == 0 {
					b.Fatal("no history")
				}
			}
			i++
		}
	})
	b.Run("first", func(b *testing.B) {
		path := fiveYears(b)
		for b.Loop() {
			s := New(Config{Path: path, Location: time.UTC})
			poll(b, s, 0, 7)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// threePlans are the answers of a poll about three plans.
func threePlans(at time.Time, used int64) (all []usage.Snapshot) {
	day, week := at.Truncate(24*time.Hour), at.Truncate(7*24*time.Hour)
	windows := map[usage.MeterID]usage.Window{
		usage.DailyQuota: {Start: day, End: day.AddDate(0, 0, 1)}, usage.WeeklyQuota: {Start: week, End: week.AddDate(0, 0, 7)},
		usage.Gemini5h: {Start: at.Truncate(5 * time.Hour), End: at.Truncate(5 * time.Hour).Add(5 * time.Hour)}, usage.GeminiWeekly: {Start: week, End: week.AddDate(0, 0, 7)},
	}
	for p, meters := range map[usage.Plan][]usage.MeterID{
		someone():                       {usage.DailyQuota, usage.WeeklyQuota},
		plan(usage.Windsurf, "work"):    {usage.DailyQuota, usage.WeeklyQuota},
		plan(usage.Antigravity, "mine"): {usage.Gemini5h, usage.GeminiWeekly},
	} {
		one := snapshot(p, at)
		for _, id := range meters {
			one.Meters = append(one.Meters, usage.NewMeter(id, windows[id]).Of(usage.Micros(used*credit), usage.Micros(100*credit)))
		}
		all = append(all, one)
	}
	return all
}

// written is how many bytes this process has handed to the system so far.
func written(tb testing.TB) int {
	tb.Helper()
	raw, err := os.ReadFile("/proc/self/io")
	if err != nil {
		tb.Skip("needs /proc/self/io")
	}
	var bytes int
	for line := range strings.Lines(string(raw)) {
		_, _ = fmt.Sscanf(line, "wchar: %d", &bytes)
	}
	return bytes
}

// A day in which three meters change at every poll writes less than a megabyte,
// including the -wal, its checkpoints, and the daily tidying.
func TestBytesWrittenADay(t *testing.T) {
	if race {
		t.Skip("counts bytes, and takes a minute beside the race detector")
	}
	path := fiveYears(t)
	s := open(t, path)
	tests := []struct {
		name    string
		changes func(i int) bool
		limit   int
	}{
		{"nothing_changes", func(int) bool { return false }, 200_000},
		{"eight_hours_of_changes", func(i int) bool { return i%288 >= 108 && i%288 < 204 }, 500_000},
		{"changes_day_and_night", func(int) bool { return true }, 1_000_000},
	}
	used := int64(0)
	start := noon
	for _, tt := range tests {
		for day := range 2 { // the first one also catches up
			before := written(t)
			for i := range 288 {
				if tt.changes(i) {
					used++
				}
				at := start.Add(time.Duration(i) * 5 * time.Minute)
				acu := usage.Meter{ID: usage.ACU, Unit: usage.UnitACU, State: usage.StateOK, Used: usage.Micros(used)}
				s.Record(t.Context(), snapshot(account(t, "u"), at, weekly(at.Truncate(7*24*time.Hour), used%100), flex(used*credit), acu))
			}
			start = start.Add(24 * time.Hour)
			after := written(t)
			if day == 0 {
				continue
			}
			t.Logf("%s: %d KB", tt.name, (after-before)/1000)
			if after-before > tt.limit {
				t.Errorf("%s: %d bytes", tt.name, after-before)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := allSamples(t, path); len(got) < 1000 {
		t.Errorf("%d samples", len(got))
	}
}

// Three plans that change eight hours a day write no more than the app may.
func TestBytesWrittenADayForThreePlans(t *testing.T) {
	if race {
		t.Skip("counts bytes, and takes a minute beside the race detector")
	}
	s := open(t, fiveYears(t))
	var before int
	used := int64(0)
	for i := range 2 * 288 {
		if i == 288 { // the first day also catches up
			before = written(t)
		}
		if i%288 >= 108 && i%288 < 204 {
			used++
		}
		for _, one := range threePlans(noon.Add(time.Duration(i)*5*time.Minute), used%100) {
			s.Record(t.Context(), one)
		}
	}
	bytes := written(t) - before
	t.Logf("%d KB", bytes/1000)
	if bytes > 1_000_000 {
		t.Errorf("%d bytes", bytes)
	}
}
