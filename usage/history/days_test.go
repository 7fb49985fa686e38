package history

import (
	"math/rand/v2"
	"testing"
	"time"

	"windsock/usage"
)

func location(tb testing.TB, name string) *time.Location {
	tb.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		tb.Skip("needs the time zones of the system")
	}
	return l
}

func useByDay(samples []Sample, location *time.Location) []Day {
	byMeter := map[usage.MeterID][]Sample{}
	for _, s := range samples {
		byMeter[s.Meter] = append(byMeter[s.Meter], s)
	}
	var days []Day
	for _, of := range byMeter {
		days = append(days, daysOf(of, location)...)
	}
	sortDays(days)
	return days
}

func TestUseByDay(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	monday := time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)
	// of is a sample in percent of a window of a day that ends so many days after
	// monday, and begins eight hours into one.
	of := func(at time.Duration, used int64, window int) Sample {
		end := monday.Add(8*time.Hour + time.Duration(window)*day)
		return Sample{
			At: monday.Add(at), Meter: usage.DailyQuota, Unit: usage.UnitPercent, Used: usage.Micros(used * credit),
			Window: usage.Window{Start: end.Add(-day), End: end},
		}
	}
	balance := func(at time.Duration, left int64) Sample {
		return Sample{At: monday.Add(at), Meter: usage.ExtraUsage, Unit: usage.UnitUSD, Remaining: usage.Micros(left * credit)}
	}
	pool := func(at time.Duration, used int64) Sample {
		return Sample{At: monday.Add(at), Meter: usage.FlexCredits, Unit: usage.UnitCredits, Used: usage.Micros(used * credit)}
	}
	h := time.Hour
	late := of(7*h, 80, 0)
	late.Window.End = late.Window.End.Add(2 * time.Minute)
	early := of(9*h, 4, 1)
	early.Window.Start = early.Window.Start.Add(-10 * time.Second)
	unbounded := of(9*h, 5, 0)
	unbounded.Window = usage.Window{}
	tests := []struct {
		name    string
		samples []Sample
		want    map[string]int64
	}{
		{"none", nil, map[string]int64{}},
		{"first_counts_nothing", []Sample{of(9*h, 40, 1)}, map[string]int64{"02": 0}},
		{"rises", []Sample{of(9*h, 10, 1), of(10*h, 15, 1), of(12*h, 40, 1)}, map[string]int64{"02": 30}},
		{"no_use", []Sample{of(9*h, 10, 1), of(15*h, 10, 1)}, map[string]int64{"02": 0}},
		{"reset", []Sample{of(7*h, 80, 0), of(9*h, 5, 1)}, map[string]int64{"02": 5}},
		{"two_windows_a_day", []Sample{of(1*h, 60, 0), of(7*h, 80, 0), of(9*h, 5, 1), of(23*h, 90, 1)}, map[string]int64{"02": 110}},
		{"reset_that_nobody_saw", []Sample{of(7*h, 20, 0), of(40*h, 35, 2)}, map[string]int64{"02": 0, "03": 35}},
		{"reset_with_old_figures", []Sample{of(7*h, 80, 0), of(8*h+time.Second, 80, 1), of(9*h, 0, 1), of(10*h, 3, 1)}, map[string]int64{"02": 3}},
		{"jitter_at_the_reset", []Sample{of(7*h, 70, 0), late, of(9*h, 1, 1)}, map[string]int64{"02": 11}},
		{"early_reset", []Sample{of(2*h, 70, 0), of(3*h, 2, 3), of(4*h, 6, 3)}, map[string]int64{"02": 6}},
		{"window_that_is_told_to_begin_early", []Sample{of(8*h-time.Second, 70, 0), early, of(10*h, 6, 1)}, map[string]int64{"02": 6}},
		{"correction", []Sample{of(9*h, 50, 1), of(10*h, 40, 1), of(11*h, 45, 1)}, map[string]int64{"02": 5}},
		{"flutter", []Sample{of(9*h, 56, 1), of(10*h, 57, 1), of(11*h, 56, 1), of(12*h, 57, 1), of(13*h, 58, 1)}, map[string]int64{"02": 2}},
		{"over_midnight", []Sample{of(23*h, 10, 1), of(25*h, 14, 1)}, map[string]int64{"02": 0, "03": 4}},
		{"over_a_weekend", []Sample{pool(0, 10), pool(3*day, 25)}, map[string]int64{"02": 0, "05": 15}},
		{"window_unknown_after", []Sample{of(7*h, 80, 0), unbounded}, map[string]int64{"02": 5}},
		{"pool", []Sample{pool(1*h, 10), pool(2*h, 30), pool(3*h, 0), pool(4*h, 7)}, map[string]int64{"02": 27}},
		{"balance", []Sample{balance(1*h, 10), balance(2*h, 4), balance(3*h, 24), balance(4*h, -2)}, map[string]int64{"02": 32}},
		{"clock_set_back", []Sample{pool(30*h, 10), pool(29*h, 12), pool(20*h, 13)}, map[string]int64{"02": 1, "03": 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := map[string]int64{}
			for _, d := range useByDay(tt.samples, time.UTC) {
				micros, _ := d.Used.Micros()
				got[d.Date[len("2026-02-"):]] = micros / credit
			}
			equal(t, got, tt.want)
		})
	}
}

// The day on which the clocks change has 23 or 25 hours, and all of them count.
func TestUseByDayOfDaylightSaving(t *testing.T) {
	t.Parallel()
	berlin := location(t, "Europe/Berlin")
	for _, date := range []time.Time{
		time.Date(2026, 3, 29, 0, 0, 0, 0, berlin), time.Date(2026, 10, 25, 0, 0, 0, 0, berlin), time.Date(2026, 6, 1, 0, 0, 0, 0, berlin),
	} {
		var samples []Sample
		want := map[string]int64{}
		for at := date.Add(-time.Hour); at.Before(date.AddDate(0, 0, 1).Add(2 * time.Hour)); at = at.Add(time.Hour) {
			samples = append(samples, Sample{At: at.UTC(), Meter: usage.FlexCredits, Used: usage.Micros(int64(len(samples)) * credit)})
			want[at.Format(dateFormat)]++
		}
		want[samples[0].At.In(berlin).Format(dateFormat)]-- // what the first one shows
		got := map[string]int64{}
		for _, d := range useByDay(samples, berlin) {
			micros, _ := d.Used.Micros()
			got[d.Date] = micros / credit
		}
		equal(t, got, want)
	}
}

// life is a made-up series of a meter: use by day and night, resets, gaps, corrections,
// flutter, and windows with slightly different bounds in each answer.
func life(seed uint64, length time.Duration) []Sample {
	r := rand.New(rand.NewPCG(seed, 1))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	span := []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 31 * 24 * time.Hour}[seed%3]
	end := start.Add(span)
	used := int64(0)
	var samples []Sample
	for at := start; at.Sub(start) < length; at = at.Add(time.Duration(1+r.IntN(600)) * time.Second) {
		if r.IntN(300) == 0 {
			at = at.Add(time.Duration(r.IntN(100)) * time.Hour)
		}
		for !at.Before(end) {
			end, used = end.Add(span), 0
		}
		switch r.IntN(40) {
		case 0:
			used = max(0, used-int64(r.IntN(20)*credit))
		case 1:
			used = max(0, used-credit)
		case 2, 3, 4, 5, 6, 7, 8, 9:
			used += int64(r.IntN(3 * credit))
		}
		told := end.Add(time.Duration(r.IntN(120)) * time.Second)
		samples = append(samples, Sample{
			At: at, Meter: usage.DailyQuota, Unit: usage.UnitPercent, Used: usage.Micros(used),
			Window: usage.Window{Start: told.Add(-span), End: told},
		})
	}
	return samples
}

// Thinning does not change a day's use, even where midnight is no full hour of UTC.
func TestThinningKeepsDays(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe"} {
		l := location(t, zone)
		for seed := range uint64(9) {
			samples := life(seed, 60*24*time.Hour)
			before := useByDay(samples, l)
			hourly := thin(samples, func(s Sample) int64 { return hourOf(s.At.In(l)) })
			daily := thin(hourly, func(s Sample) int64 { return dayOf(s.At.In(l)) })
			if len(hourly) >= len(samples) || len(daily) >= len(hourly) {
				t.Fatalf("%d samples, %d hourly, %d daily", len(samples), len(hourly), len(daily))
			}
			equal(t, useByDay(hourly, l), before)
			equal(t, useByDay(daily, l), before)
			checkEdges(t, samples, hourly)
			checkEdges(t, samples, daily)
			if t.Failed() {
				t.Fatalf("%s, seed %d", zone, seed)
			}
		}
	}
}

// checkEdges checks that the kept samples are a subset, and that every reset and the
// last sample before it are kept.
func checkEdges(t *testing.T, samples, kept []Sample) {
	t.Helper()
	last := false // whether the one before is kept
	for i, s := range samples {
		stays := len(kept) > 0 && kept[0] == s
		if i > 0 && (edge(samples[i-1], s) || renewed(samples[i-1], s)) && (!last || !stays) {
			t.Fatalf("lost %v or %v", samples[i-1], s)
		}
		if last = stays; stays {
			kept = kept[1:]
		}
	}
	equal(t, len(kept), 0)
}

func TestThinningLeavesOnePerPart(t *testing.T) {
	t.Parallel()
	var samples []Sample
	for i := range 1000 {
		samples = append(samples, Sample{At: noon.Add(time.Duration(i) * 5 * time.Minute), Used: usage.Micros(int64(i))})
	}
	equal(t, len(thin(samples, func(s Sample) int64 { return hourOf(s.At) })), 85)
	equal(t, len(thin(samples, func(s Sample) int64 { return dayOf(s.At) })), 5)
}
