package pace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func quotaMeter(id usage.MeterID, used float64) usage.Meter {
	return quotaOf(id, map[usage.Rhythm]time.Duration{
		usage.RhythmHours: 5 * time.Hour, usage.RhythmDay: usagetest.Day, usage.RhythmWeek: 7 * usagetest.Day,
	}[id.Info().Rhythm], used)
}

func quotaOf(id usage.MeterID, length time.Duration, used float64) usage.Meter {
	return usage.Meter{ID: id, Unit: usage.UnitPercent, Window: usage.Window{Start: usagetest.Month.Start, End: usagetest.Month.Start.Add(length)}}.
		Of(usagetest.AmountOf(used), usagetest.AmountOf(100))
}

func flexMeter(used, total float64) usage.Meter {
	return usage.Meter{ID: usage.FlexCredits, Unit: usage.UnitCredits}.Of(usagetest.AmountOf(used), usagetest.AmountOf(total))
}

// after is a time after the windows above began.
func after(d time.Duration) time.Time { return usagetest.Month.Start.Add(d) }

// paceOf is the pace of the first meter.
func paceOf(at time.Time, seen Seen, o Options, meters ...usage.Meter) *usage.Pace {
	s := usage.Snapshot{Source: usage.Source{FetchedAt: at}, Meters: meters}
	return Judge(s, History{meters[0].ID: seen}, o).Meters[0].Pace
}

// brief is a pace on one line, with figures as people see them.
func brief(p *usage.Pace) string {
	if p == nil {
		return "none"
	}
	parts := []string{string(p.Verdict)}
	add := func(name string, a usage.Amount, places int) {
		if a.Known() {
			parts = append(parts, name+" "+a.Decimal(places))
		}
	}
	if p.Reason != "" {
		parts = append(parts, p.Reason)
	}
	if p.Confidence != usage.ConfidenceEstablished {
		parts = append(parts, string(p.Confidence))
	}
	if p.Basis != usage.BasisWindow {
		parts = append(parts, string(p.Basis))
	}
	if p.Elapsed.Known() {
		add("at", p.Elapsed, 1)
	}
	if p.Projected.Known() {
		parts = append(parts, fmt.Sprintf("reaches %s (%s–%s)", p.Projected.Decimal(1), p.Low.Decimal(1), p.High.Decimal(1)))
	}
	add("lasts", p.Chance, 1)
	add("a day", p.BudgetPerDay, 1)
	for _, moment := range []struct {
		name string
		at   time.Time
	}{{"out", p.RunsOutAt}, {"from", p.RunsOutFrom}, {"to", p.RunsOutTo}, {"flex", p.SwitchesAt}} {
		if !moment.at.IsZero() {
			parts = append(parts, moment.name+" "+moment.at.UTC().Format("01-02T15:04:05"))
		}
	}
	return strings.Join(parts, ", ")
}

// What is expected here was worked out by another program.
func TestPace(t *testing.T) {
	t.Parallel()
	const d = usagetest.Day
	credits, weekly, daily := usagetest.CreditMeter, usage.WeeklyQuota, usage.DailyQuota
	tests := []struct {
		name   string
		at     time.Duration
		meter  usage.Meter
		beside []usage.Meter
		want   string
	}{
		// From the figure.
		{name: "used_up", at: 10 * d, meter: credits(500), want: "used_up, at 33.3"},
		{name: "used_up_at_once", at: time.Second, meter: credits(500), want: "used_up, early, at 0"},
		{name: "used_more_than_there_is", at: 10 * d, meter: credits(700), want: "used_up, at 33.3"},
		{name: "a_trace_left", at: 15 * d, meter: credits(499.995001), want: "used_up, at 50"},
		{name: "unused", at: 15 * d, meter: credits(0), want: "unused, at 50, a day 33.3"},
		{name: "unused_at_once", meter: credits(0), want: "too_early, early, at 0, a day 16.7"},
		{name: "too_early", at: 14*time.Hour + 23*time.Minute, meter: credits(30), want: "too_early, early, at 2, a day 16"},
		{name: "soon_enough", at: 14*time.Hour + 24*time.Minute, meter: credits(30), want: "tight, early, at 2, reaches 109.8 (42.3–246.9), lasts 44, a day 16"},
		{name: "too_early_in_a_day", at: 28 * time.Minute, meter: quotaMeter(daily, 30), want: "too_early, early, at 1.9"},
		{name: "soon_enough_in_a_day", at: 29 * time.Minute, meter: quotaMeter(daily, 30), want: "tight, fast day, early, at 2, reaches 178.5 (30–874.3), lasts 35"},
		{name: "too_early_in_hours", at: 14 * time.Minute, meter: quotaOf(daily, 5*time.Hour, 30), want: "too_early, early, at 4.7"},
		{name: "soon_enough_in_hours", at: 15 * time.Minute, meter: quotaOf(daily, 5*time.Hour, 30), want: "tight, early, at 5, reaches 156.1 (30–746.7), lasts 38"},

		// The chance of a cycle, between the knots and at them.
		{name: "cycle_at_its_start", at: d, meter: credits(10), want: "tight, early, at 3.3, reaches 88.7 (32.3–203.2), lasts 57, a day 16.9"},
		{name: "cycle_early", at: 3*d - time.Second, meter: credits(10), want: "on_course, early, at 10, reaches 69.5 (25.5–158.1), lasts 71, a day 18.1"},
		{name: "cycle_no_more_early", at: 3 * d, meter: credits(10), want: "on_course, at 10, reaches 69.5 (25.5–158.1), lasts 71, a day 18.1"},
		{name: "cycle_on_course", at: 13*d + 12*time.Hour, meter: credits(150), want: "on_course, at 45, reaches 72.9 (42.3–132.8), lasts 74, a day 21.2"},
		{name: "cycle_tight", at: 13*d + 12*time.Hour, meter: credits(200), want: "tight, at 45, reaches 90.3 (54.4–160.5), lasts 60, a day 18.2"},
		{name: "cycle_runs_out", at: 13*d + 12*time.Hour, meter: credits(300), want: "runs_out, at 45, reaches 125.1 (78.7–216), lasts 28, a day 12.1, out 06-24T15:18:02, from 06-18T17:32:34"},
		{name: "cycle_half", at: 15 * d, meter: credits(250), want: "tight, at 50, reaches 98.7 (62.7–173.9), lasts 51, a day 16.7"},
		{name: "cycle_near_its_end", at: 29 * d, meter: credits(490), want: "tight, at 96.7, reaches 99.3 (98–111.1), lasts 55, a day 10"},
		{name: "cycle_nearly_unused", at: 29 * d, meter: credits(0.01), want: "on_course, at 96.7, reaches 0.3 (0–2.9), lasts 99, a day 500"},
		{name: "a_hundredth_left", at: 15 * d, meter: credits(499.995), want: "runs_out, at 50, reaches 179.9 (120.9–303.4), lasts 1, a day 0, out 06-16T00:00:16, from 06-16T00:00:06, to 06-16T00:01:01"},
		{name: "at_most_999", at: 15 * time.Hour, meter: credits(499), want: "runs_out, early, at 2.1, reaches 489.5 (236.2–999), lasts 1, a day 0, out 06-01T15:21:42, from 06-01T15:09:21, to 06-01T16:02:01"},

		// The other kinds, by length.
		{name: "cycle_of_more_than_ten_days", at: 5 * d, meter: quotaOf(weekly, 10*d+time.Second, 60), want: "runs_out, at 50, reaches 114.9 (74.4–199.8), lasts 35, a day 8, out 06-09T15:22:19, from 06-07T10:19:51"},
		{name: "week_of_ten_days", at: 5 * d, meter: quotaOf(weekly, 10*d, 60), want: "tight, at 50, reaches 105.2 (60.8–259.1), lasts 46, a day 8"},
		{name: "week_on_course", at: 84 * time.Hour, meter: quotaMeter(weekly, 30), want: "on_course, at 50, reaches 58.5 (30.5–155.4), lasts 77, a day 20"},
		{name: "week_tight", at: 84 * time.Hour, meter: quotaMeter(weekly, 50), want: "tight, at 50, reaches 89.6 (50.7–224.5), lasts 56, a day 14.3"},
		{name: "week_runs_out", at: 84 * time.Hour, meter: quotaMeter(weekly, 75), want: "runs_out, at 50, reaches 128.6 (76–311), lasts 32, a day 7.1, out 06-06T03:10:44, from 06-04T20:53:53"},
		{name: "week_of_two_days", at: 24 * time.Hour, meter: quotaOf(weekly, 2*d, 60), want: "tight, at 50, reaches 105.2 (60.8–259.1), lasts 46, a day 40"},
		{name: "day_of_less_than_two_days", at: 24 * time.Hour, meter: quotaOf(weekly, 2*d-time.Second, 60), want: "tight, fast day, at 50, reaches 112.9 (60–553.1), lasts 46"},
		{name: "day_on_course", at: 12 * time.Hour, meter: quotaMeter(daily, 20), want: "tight, at 50, reaches 51.5 (20–313.4), lasts 66"},
		{name: "day_tight", at: 12 * time.Hour, meter: quotaMeter(daily, 50), want: "tight, at 50, reaches 105.8 (50–569.6), lasts 48"},
		{name: "day_fast", at: 12 * time.Hour, meter: quotaMeter(daily, 80), want: "tight, fast day, at 50, reaches 160.1 (80–825.9), lasts 35"},
		{name: "day_of_eight_hours", at: 4 * time.Hour, meter: quotaOf(daily, 8*time.Hour, 60), want: "tight, at 50, reaches 100.7 (60–439.4), lasts 50"},
		{name: "hours_of_less_than_eight", at: 4 * time.Hour, meter: quotaOf(daily, 8*time.Hour-time.Second, 60), want: "tight, at 50, reaches 112.9 (60–553.1), lasts 46"},
		{name: "hours_on_course", at: 2 * time.Hour, meter: quotaOf(daily, 5*time.Hour, 20), want: "on_course, at 40, reaches 55.7 (20–300), lasts 66"},
		{name: "hours_tight", at: 2 * time.Hour, meter: quotaOf(daily, 5*time.Hour, 50), want: "tight, at 40, reaches 113.2 (50–546), lasts 46"},
		{name: "hours_of_a_pool", at: 2 * time.Hour, meter: quotaMeter(usage.Gemini5h, 90), want: "tight, fast hours, at 40, reaches 189.9 (90–873.9), lasts 27"},
		{name: "hours_fast", at: 2 * time.Hour, meter: quotaOf(daily, 5*time.Hour, 90), want: "tight, fast hours, at 40, reaches 189.9 (90–873.9), lasts 27"},

		// Prompt credits, then flex credits.
		{name: "then_flex", at: 13*d + 12*time.Hour, meter: credits(300), beside: []usage.Meter{flexMeter(0, 500)}, want: "tight, then flex credits, at 45, reaches 125.1 (78.7–216), lasts 86, a day 12.1, from 06-29T07:24:00, flex 06-24T15:18:02"},
		{name: "then_flex_by_chance", at: 13*d + 12*time.Hour, meter: credits(200), beside: []usage.Meter{flexMeter(0, 500)}, want: "tight, then flex credits, at 45, reaches 90.3 (54.4–160.5), lasts 93, a day 18.2"},
		{name: "too_little_flex", at: 13*d + 12*time.Hour, meter: credits(300), beside: []usage.Meter{flexMeter(10, 60)}, want: "runs_out, at 45, reaches 125.1 (78.7–216), lasts 37, a day 12.1, out 06-27T04:07:33, from 06-19T18:55:42"},
		{name: "no_flex_left", at: 13*d + 12*time.Hour, meter: credits(300), beside: []usage.Meter{flexMeter(100, 100)}, want: "runs_out, at 45, reaches 125.1 (78.7–216), lasts 28, a day 12.1, out 06-24T15:18:02, from 06-18T17:32:34"},
		{name: "flex_without_an_end", at: 13*d + 12*time.Hour, meter: credits(300), beside: []usage.Meter{{ID: usage.FlexCredits, State: usage.StateUnlimited}}, want: "tight, then flex credits, at 45, reaches 125.1 (78.7–216), lasts 99, a day 12.1, flex 06-24T15:18:02"},
		{name: "lasts_without_flex", at: 13*d + 12*time.Hour, meter: credits(100), beside: []usage.Meter{flexMeter(0, 500)}, want: "on_course, at 45, reaches 55.5 (30.2–105), lasts 98, a day 24.2"},
		{name: "flex_is_not_for_other_meters", at: 84 * time.Hour, meter: quotaMeter(weekly, 75), beside: []usage.Meter{flexMeter(0, 500)}, want: "runs_out, at 50, reaches 128.6 (76–311), lasts 32, a day 7.1, out 06-06T03:10:44, from 06-04T20:53:53"},

		// None.
		{name: "before_its_window", at: -time.Second, meter: credits(10), want: "none"},
		{name: "at_its_reset", at: 30 * d, meter: credits(10), want: "none"},
		{name: "no_window", at: d, meter: flexMeter(10, 100), want: "none"},
		{name: "no_start", at: d, meter: func() usage.Meter { m := credits(10); m.Window.Start = time.Time{}; return m }(), want: "none"},
		{name: "no_end", at: d, meter: func() usage.Meter { m := credits(10); m.Window.End = time.Time{}; return m }(), want: "none"},
		{name: "no_length", at: 0, meter: func() usage.Meter { m := credits(10); m.Window.End = m.Window.Start; return m }(), want: "none"},
		{name: "unlimited", at: d, meter: credits(10).Without(usage.StateUnlimited), want: "none"},
		{name: "unreadable", at: d, meter: credits(10).Without(usage.StateUnreadable), want: "none"},
		{name: "not_started", at: d, meter: credits(10).Without(usage.StateNotStarted), want: "none"},
		{name: "no_total", at: d, meter: usage.Meter{ID: usage.ACU, Unit: usage.UnitACU, State: usage.StateOK, Used: usagetest.AmountOf(3), Window: usagetest.Month}, want: "none"},
		{name: "balance", at: d, meter: usage.Meter{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usagetest.AmountOf(3), Window: usagetest.Month}, want: "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := brief(paceOf(after(tt.at), Seen{}, Options{}, append([]usage.Meter{tt.meter}, tt.beside...)...))
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNoTimeNoPace(t *testing.T) {
	t.Parallel()
	if got := paceOf(time.Time{}, Seen{}, Options{}, usagetest.CreditMeter(10)); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestPaceStaysUntilTheReset(t *testing.T) {
	t.Parallel()
	m := usage.Meter{ID: usage.WeeklyQuota, Unit: usage.UnitPercent, Window: usage.Window{Start: usagetest.Noon.Add(-3 * usagetest.Day), End: usagetest.Noon.Add(4 * usagetest.Day)}}
	s := usage.NewSnapshot(usage.Snapshot{Source: usage.Source{FetchedAt: usagetest.Noon}, Meters: []usage.Meter{m.Of(usagetest.AmountOf(40), usagetest.AmountOf(100))}}, usage.Facts{})
	s = Judge(s, nil, Options{})
	want := s.Meters[0].Pace
	for _, at := range []time.Time{usagetest.Noon, usagetest.Noon.Add(4*usagetest.Day - 1), usagetest.Noon.Add(-usagetest.Day)} {
		if got := s.At(at).Meters[0].Pace; want == nil || got != want {
			t.Errorf("at %v: %+v", at, got)
		}
	}
	if m := s.At(usagetest.Noon.Add(4 * usagetest.Day)).Meters[0]; m.Pace != nil || m.State != usage.StateRolledOver {
		t.Errorf("after the reset: %+v", m)
	}
	if got := Judge(s.At(usagetest.Noon.Add(4*usagetest.Day)), nil, Options{}).At(usagetest.Noon).Meters[0].Pace; !cmp.Equal(got, want) {
		t.Errorf("back again: %+v", got)
	}
}

// The tables are in order, so that the chance has an inverse.
func TestStraysRise(t *testing.T) {
	t.Parallel()
	for _, k := range []*kind{&cycleKind, &weekKind, &dayKind, &hoursKind} {
		for i, row := range k.strays {
			if !slices.IsSorted(row[:]) {
				t.Errorf("%+v: row %d", k, i)
			}
		}
		for f := 0.0; f <= 1; f += 0.01 {
			o := outlook{used: 0.3, rest: 0.4, strays: k.straysAt(f)}
			for level, share := range levels {
				x := o.strays[level]
				first := slices.Index(o.strays[:], x)
				if got := o.chance(o.used + o.rest*x); x > 0 && (got > 1-levels[first]+1e-9 || got < 1-share-1e-9) {
					t.Errorf("at %v and %v: %v", f, share, got)
				}
			}
		}
	}
}
