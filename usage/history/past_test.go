package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// reading is a figure of a meter: so many hours after cycle began, in a window that
// begins so many hours after it.
type reading struct {
	after, used, total int64
	starts, length     int64
}

func (r reading) sample(meter usage.MeterID) Sample {
	start := cycle.Start.Add(time.Duration(r.starts) * time.Hour)
	return Sample{
		At: cycle.Start.Add(time.Duration(r.after) * time.Hour), Meter: meter, Unit: meter.Info().Unit,
		Used: usage.Micros(r.used * credit), Total: usage.Micros(r.total * credit), Remaining: usage.Micros(max(0, r.total-r.used) * credit),
		Window: usage.Window{Start: start, End: start.Add(time.Duration(r.length) * time.Hour)},
	}
}

// record records samples of one meter as a poller would, and returns what was seen at
// the last one.
func record(tb testing.TB, s *Store, who usage.Plan, samples ...Sample) (seen pace.Seen) {
	tb.Helper()
	for _, sample := range samples {
		m := usage.Meter{ID: sample.Meter, Unit: sample.Unit, Window: sample.Window}.Of(sample.Used, sample.Total)
		seen = s.Record(tb.Context(), snapshot(who, sample.At, m))[sample.Meter]
	}
	return seen
}

// A window that is over keeps its last figure, and when it was used up.
func TestPastWindows(t *testing.T) {
	t.Parallel()
	const week = 168
	in := func(starts, after, used int64) reading { return reading{starts + after, used, 100, starts, week} }
	past := func(starts, length, used, total, usedUp int64) pace.Window {
		w := reading{starts, used, total, starts, length}.sample(usage.WeeklyQuota)
		p := pace.Window{Window: w.Window, Used: w.Used, Total: w.Total}
		if usedUp > 0 {
			p.UsedUp = cycle.Start.Add(time.Duration(usedUp) * time.Hour)
		}
		return p
	}
	tests := []struct {
		name     string
		readings []reading
		want     []pace.Window
	}{
		{"none", []reading{in(0, 1, 5), in(0, 20, 30)}, nil},
		{"one", []reading{in(0, 1, 5), in(0, 20, 30), in(week, 1, 2)}, []pace.Window{past(0, week, 30, 100, 0)}},
		{"seen_once", []reading{in(0, 20, 30), in(week, 1, 2)}, []pace.Window{past(0, week, 30, 100, 0)}},
		{"several", []reading{in(0, 20, 30), in(week, 1, 2), in(week, 9, 60), in(2*week, 3, 4)}, []pace.Window{past(0, week, 30, 100, 0), past(week, week, 60, 100, 0)}},
		{"used_up", []reading{in(0, 20, 30), in(0, 90, 100), in(0, 100, 100), in(week, 1, 2)}, []pace.Window{past(0, week, 100, 100, 90)}},
		{"used_up_and_topped_up", []reading{in(0, 90, 100), {100, 100, 200, 0, week}, {110, 150, 200, 0, week}, in(week, 1, 2)}, []pace.Window{past(0, week, 150, 200, 0)}},
		{"used_up_twice", []reading{in(0, 90, 100), {100, 100, 200, 0, week}, {110, 200, 200, 0, week}, in(week, 1, 2)}, []pace.Window{past(0, week, 200, 200, 110)}},
		{"corrected", []reading{in(0, 20, 30), in(0, 30, 10), in(week, 1, 2)}, []pace.Window{past(0, week, 10, 100, 0)}},
		// The figure jumps by what another machine has used.
		{"two_machines", []reading{in(0, 1, 5), in(0, 60, 70), in(0, 160, 100), in(week, 40, 35)}, []pace.Window{past(0, week, 100, 100, 160)}},
		// The app did not run for a month.
		{"days_without_the_app", []reading{in(0, 20, 30), in(5*week, 1, 2)}, []pace.Window{past(0, week, 30, 100, 0)}},
		{"another_allowance", []reading{{10, 400, 500, 0, week}, {week + 1, 10, 1000, week, week}, {2*week + 1, 10, 1000, 2 * week, week}}, []pace.Window{past(0, week, 400, 500, 0), past(week, week, 10, 1000, 0)}},
		// A longer window takes the place of one in its second half, and in its first.
		{"another_plan_late", []reading{in(0, 100, 30), {120, 5, 500, 110, 720}}, []pace.Window{past(0, week, 30, 100, 0)}},
		{"another_plan_early", []reading{{10, 30, 500, 0, 720}, {250, 5, 500, 240, 720}}, []pace.Window{past(0, 720, 30, 500, 0)}},
		{"trembling_reset", []reading{in(0, 20, 30), {30, 40, 100, 1, week}, {40, 50, 100, 0, week}, in(week, 2, 2)}, []pace.Window{past(0, week, 50, 100, 0)}},
		{"another_plan_and_back_trembling", []reading{in(0, 60, 30), {70, 5, 500, 60, 720}, {80, 40, 100, 1, week}, in(week, 1, 0)}, []pace.Window{past(1, week, 40, 100, 0), past(60, 720, 5, 500, 0)}},
		{"another_plan_and_back", []reading{in(0, 60, 30), {70, 5, 500, 60, 720}, in(0, 80, 40), in(week, 1, 0)}, []pace.Window{past(0, week, 40, 100, 0), past(60, 720, 5, 500, 0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempPath(t)
			s, who := open(t, path), account(t, "u")
			var samples []Sample
			for i, r := range tt.readings {
				samples = append(samples, r.sample(usage.WeeklyQuota))
				// Other accounts and other meters have windows of their own.
				record(t, s, account(t, "other"), reading{r.after, int64(i), 100, r.starts, r.length}.sample(usage.WeeklyQuota))
				record(t, s, who, reading{r.after, int64(i), 100, 24 * (r.after / 24), 24}.sample(usage.DailyQuota))
			}
			got := record(t, s, who, samples...)
			equal(t, got.Past, tt.want)
			equal(t, record(t, open(t, path), who, samples[len(samples)-1]), got)
		})
	}
}

// decades are samples of windows of a length, one after the other, in which the use rises
// day by day and hour by hour from eight to six, in local time, and at times too much.
func decades(meter usage.MeterID, length time.Duration, days int, location *time.Location) (samples []Sample) {
	used, last := 0.0, time.Time{}
	for day := range days {
		for hour := 8; hour < 18; hour++ {
			at := time.Date(2026, 3, 1+day, hour, 20, 0, 0, location).UTC()
			start := cycle.Start.Add(at.Sub(cycle.Start).Truncate(length))
			if !start.Equal(last) {
				used, last = 0, start
			}
			used += float64(1+(day*7+hour*3)%11) * 2.2 * float64(24*time.Hour) / float64(length)
			figure := min(100, int64(used))
			samples = append(samples, Sample{
				At: at, Meter: meter, Unit: usage.UnitPercent,
				Used: usage.Micros(figure * credit), Total: usage.Micros(100 * credit), Remaining: usage.Micros((100 - figure) * credit),
				Window: usage.Window{Start: start, End: start.Add(length)},
			})
		}
	}
	return samples
}

// A file of the first edition has samples alone, thinned or not. Its windows come out of
// them as if they had been kept all along.
func TestPastOfTheFirstEdition(t *testing.T) {
	t.Parallel()
	berlin := location(t, "Europe/Berlin")
	content, err := os.ReadFile(filepath.Join("testdata", "version-1.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		meter  usage.MeterID
		length time.Duration
	}{{"day", usage.DailyQuota, 24 * time.Hour}, {"week", usage.WeeklyQuota, 7 * 24 * time.Hour}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			who := account(t, "u")
			samples := decades(tt.meter, tt.length, 60, berlin)
			want := record(t, openIn(t, tempPath(t), berlin, nil), who, samples...)
			if len(want.Past) < 5 || !slices.ContainsFunc(want.Past, func(w pace.Window) bool { return !w.UsedUp.IsZero() }) || !slices.ContainsFunc(want.Past, func(w pace.Window) bool { return w.UsedUp.IsZero() }) {
				t.Fatalf("nothing to compare: %+v", want.Past)
			}
			last := len(samples) - 1
			for _, edition := range []struct {
				name    string
				samples []Sample
			}{
				{"whole", samples[:last]},
				{"hourly", thin(samples[:last], func(s Sample) int64 { return hourOf(s.At.In(berlin)) })},
			} {
				path := filepath.Join(t.TempDir(), "history.db")
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
				firstEdition(t, path, who, edition.samples)
				if diff := record(t, openIn(t, path, berlin, nil), who, samples[last]).Past; len(diff) != len(want.Past) {
					t.Errorf("%s: %d windows, want %d", edition.name, len(diff), len(want.Past))
				} else {
					equal(t, diff, want.Past)
				}
			}
		})
	}
}

// firstEdition puts samples into a file of the first edition.
func firstEdition(t *testing.T, path string, who usage.Plan, samples []Sample) {
	t.Helper()
	db := raw(t, path)
	var salt []byte
	if err := db.QueryRow("SELECT salt FROM installation").Scan(&salt); err != nil {
		t.Fatal(err)
	}
	var id int64
	if err := db.QueryRow("INSERT INTO account (hash) VALUES (?) ON CONFLICT (hash) DO UPDATE SET hash = hash RETURNING id", who.Key(salt)).Scan(&id); err != nil {
		t.Fatal(err)
	}
	meters, err := readMeters(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if _, err := db.Exec("INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", append([]any{sample.At.UnixMilli(), 0, id}, meters.stored(sample)...)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is used in a day counts in the local hour of the sample that shows it.
func TestPastHours(t *testing.T) {
	t.Parallel()
	kathmandu := location(t, "Asia/Kathmandu") // 5:45 ahead of UTC
	start := time.Date(2026, 2, 2, 3, 0, 0, 0, time.UTC)
	at := func(minutes int, used int64, day int) Sample {
		s := reading{0, used, 100, 0, 24}.sample(usage.DailyQuota)
		begin := start.AddDate(0, 0, day)
		s.At, s.Window = begin.Add(time.Duration(minutes)*time.Minute), usage.Window{Start: begin, End: begin.AddDate(0, 0, 1)}
		return s
	}
	got := record(t, openIn(t, tempPath(t), kathmandu, nil), account(t, "u"),
		at(10, 7, 0), // the first figure: used at any time before
		at(14, 9, 0), // 8:59
		at(15, 12, 0), at(600, 12, 0), at(700, 10, 0), at(720, 15, 0),
		at(30, 15, 1), // the server sends the next dates before its figures
		at(40, 1, 1), at(50, 3, 1), at(900, 8, 1),
		at(30, 4, 2), at(60, 5, 2),
		at(30, 0, 3),
	)
	hours := func(pairs ...int64) (h [24]int64) {
		for i := 0; i < len(pairs); i += 2 {
			h[pairs[i]] = pairs[i+1] * credit
		}
		return h
	}
	var all [][24]int64
	for _, w := range got.Past {
		all = append(all, w.Hours)
	}
	equal(t, all, [][24]int64{hours(8, 2, 9, 3, 20, 5), hours(9, 2, 23, 5), hours(9, 5)})
}

// Of many years the last five hundred windows are handed out.
func TestPastIsBounded(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s, who := open(t, path), account(t, "u")
	for day := range int64(maxPast + 20) {
		record(t, s, who, reading{24*day + 1, day % 100, 100, 24 * day, 24}.sample(usage.DailyQuota))
	}
	got := record(t, s, who, reading{24*(maxPast+20) + 1, 1, 100, 24 * (maxPast + 20), 24}.sample(usage.DailyQuota)).Past
	equal(t, len(got), maxPast)
	equal(t, got[0].Used, usage.Micros(20*credit))
	equal(t, got[maxPast-1].Used, usage.Micros(19*credit))
	equal(t, count(t, s, "SELECT count(*) FROM past"), maxPast+20)
}

// weeks is a store with eight weeks, the third without the app, and two cycles of prompt
// credits.
var weeks = made(func(tb testing.TB, path string) {
	tb.Helper()
	s := salted(tb, path)
	who := account(tb, "u")
	for week := range int64(8) {
		for day := int64(0); day < 7 && week != 2; day++ {
			used := min(100, (day+1)*(9+(week*5)%11))
			record(tb, s, who, reading{168*week + 24*day + 10, used, 100, 168 * week, 168}.sample(usage.WeeklyQuota))
			record(tb, s, who, reading{168*week + 24*day + 10, 10*day + 70*(week%4), 500, 672 * (week / 4), 672}.sample(usage.PromptCredits))
		}
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
})

// What was said of a window is what was said at that time, with the windows before it.
func TestWindowsSay(t *testing.T) {
	t.Parallel()
	path := weeks(t)
	live := open(t, tempPath(t))
	who := account(t, "u")
	samples := allSamples(t, path)
	said := map[time.Time]*usage.Pace{}
	for _, sample := range samples {
		if sample.Meter != usage.WeeklyQuota {
			continue
		}
		seen := record(t, live, who, sample)
		m := usage.NewMeter(sample.Meter, sample.Window).Of(sample.Used, sample.Total)
		s := usage.Snapshot{Source: usage.Source{FetchedAt: sample.At}, Meters: []usage.Meter{m}}
		said[sample.At] = pace.Judge(s, pace.History{sample.Meter: seen}, pace.Options{}).Meters[0].Pace
	}
	windows, err := open(t, path).Windows(t.Context(), time.Unix(0, 0), pace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, w := range windows {
		if w.Meter != usage.WeeklyQuota {
			continue
		}
		n++
		var want [3]*usage.Pace
		for i := range want {
			for at, p := range said {
				limit := w.Start.Add(time.Duration(i+1) * 42 * time.Hour)
				if !at.Before(w.Start) && !at.After(limit) && at.After(limit.Add(-24*time.Hour)) {
					want[i] = p
				}
			}
		}
		equal(t, w.Said, want)
	}
	equal(t, n, 6) // and the last one is not over
}

// The app and a status beside it say the same, also after a restart, and although the
// chance alone would have changed the verdict.
func TestVerdictIsTheSameInAllProcesses(t *testing.T) {
	t.Parallel()
	path, who := tempPath(t), account(t, "u")
	month := func(after, used int64) Sample {
		return reading{after, used, 500, 0, 720}.sample(usage.PromptCredits)
	}
	verdict := func(s *Store, sample Sample) usage.Verdict {
		t.Helper()
		m := usage.NewMeter(sample.Meter, sample.Window).Of(sample.Used, sample.Total)
		now := snapshot(who, sample.At, m)
		return pace.Judge(now, s.Record(t.Context(), now), pace.Options{}).Meters[0].Pace.Verdict
	}
	app := open(t, path)
	var got []usage.Verdict
	for _, sample := range []Sample{month(100, 20), month(324, 270), month(370, 280), month(390, 300)} {
		got = append(got, verdict(app, sample))
	}
	got = append(got, verdict(open(t, path), month(390, 300)))
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	got = append(got, verdict(open(t, path), month(420, 310)), verdict(open(t, tempPath(t)), month(420, 310)))
	const lasts, out, tight = usage.VerdictOnCourse, usage.VerdictRunsOut, usage.VerdictTight
	equal(t, got, []usage.Verdict{lasts, out, out, out, out, out, tight})
}
