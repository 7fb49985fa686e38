package pace

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// pastOf are windows of a meter that follow each other up to the present one, with these
// uses, in shares of their total. A use below 0 is a window of which nothing was seen.
func pastOf(m usage.Meter, uses ...float64) (past []Window) {
	length := m.Window.End.Sub(m.Window.Start)
	total, _ := m.Total.Float()
	for i, used := range uses {
		start := m.Window.Start.Add(-time.Duration(len(uses)-i) * length)
		if used >= 0 {
			past = append(past, Window{Window: usage.Window{Start: start, End: start.Add(length)}, Used: usagetest.AmountOf(used * total), Total: m.Total})
		}
	}
	return past
}

// usedUp is a past window that was used up after a share of it.
func usedUp(w Window, share float64) Window {
	w.Used, w.UsedUp = w.Total, w.Start.Add(time.Duration(share*float64(w.End.Sub(w.Start))))
	return w
}

func repeat(used float64, n int) []float64 {
	uses := make([]float64, n)
	for i := range uses {
		uses[i] = used
	}
	return uses
}

// What is expected here was worked out by another program.
func TestPastWindows(t *testing.T) {
	t.Parallel()
	const d = usagetest.Day
	cycle, week, day := usagetest.CreditMeter(200), quotaMeter(usage.WeeklyQuota, 40), quotaMeter(usage.DailyQuota, 40)
	moved := func(w Window, by time.Duration) Window {
		w.Start, w.End = w.Start.Add(by), w.End.Add(by)
		return w
	}
	pool := quotaMeter(usage.GeminiWeekly, 40)
	hours := quotaOf(usage.DailyQuota, 5*time.Hour, 40)
	// A month of 28 days after one of 31.
	february := usage.Meter{ID: usage.PromptCredits, Unit: usage.UnitCredits, Window: usage.Window{
		Start: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
	}}.Of(usagetest.AmountOf(200), usagetest.AmountOf(500))
	january := Window{
		Window: usage.Window{Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), End: february.Window.Start},
		Used:   usagetest.AmountOf(450), Total: usagetest.AmountOf(500),
	}
	morning := pastOf(day, 0.6)[0]
	morning.Hours[8], morning.Hours[9] = 20*usage.One, 40*usage.One
	tests := []struct {
		name  string
		meter usage.Meter
		at    time.Duration
		past  []Window
		want  string
	}{
		{"none", cycle, 15 * d, nil, "on_course, at 50, reaches 82.4 (51.1–148), lasts 67, a day 20"},
		{"one_window", cycle, 15 * d, pastOf(cycle, 0.9), "on_course, history, at 50, reaches 83.7 (51.4–151.3), lasts 65, a day 20"},
		{"one_window_at_the_start", cycle, 15 * time.Hour, pastOf(cycle, 0.9), "runs_out, history, at 2.1, reaches 165.7 (84–331.5), lasts 17, a day 10.2, out 06-15T15:37:28, from 06-07T16:05:48"},
		{"two_windows", cycle, 15 * d, pastOf(cycle, 0.9, 0.3), "on_course, history, at 50, reaches 74.8 (49.1–128.5), lasts 75, a day 20"},
		{"five_hundred_windows", day, 12 * time.Hour, pastOf(day, repeat(0.5, 500)...), "tight, history, at 50, reaches 74.5 (40–361), lasts 59"},
		{"used_up", cycle, 15 * d, []Window{usedUp(pastOf(cycle, 1)[0], 0.4)}, "tight, history, at 50, reaches 100.4 (55.8–193.8), lasts 50, a day 20"},
		{"used_up_at_once", cycle, 15 * d, []Window{usedUp(pastOf(cycle, 1)[0], 0)}, "on_course, at 50, reaches 82.4 (51.1–148), lasts 67, a day 20"},
		{"used_beyond_the_total", cycle, 15 * d, pastOf(cycle, 1.3), "tight, history, at 50, reaches 85.8 (52–156.5), lasts 63, a day 20"},
		{"not_used", cycle, 15 * d, pastOf(cycle, 0), "on_course, history, at 50, reaches 65.3 (46.6–104.4), lasts 87, a day 20"},

		// Windows that were not seen.
		{"hardly_ever_used", quotaMeter(usage.DailyQuota, 1), 12 * time.Hour, pastOf(day, repeat(0, 100)...), "on_course, history, at 50, reaches 1.5 (1–6.1), lasts 99"},
		{"unseen_week", week, 84 * time.Hour, pastOf(week, 0.6, -1, 0.6), "on_course, history, at 50, reaches 65.3 (40.5–151.4), lasts 76, a day 17.1"},
		{"unseen_week_before_this_one", week, 84 * time.Hour, pastOf(week, 0.6, -1), "on_course, history, at 50, reaches 63.1 (40.4–141.5), lasts 79, a day 17.1"},
		{"unseen_weeks_before_the_first", week, 84 * time.Hour, pastOf(week, -1, -1, 0.6), "on_course, history, at 50, reaches 70.8 (40.6–175.6), lasts 70, a day 17.1"},
		{"unseen_cycle", cycle, 15 * d, pastOf(cycle, 0.6, -1, 0.6), "on_course, history, at 50, reaches 71.2 (48.2–119.4), lasts 80, a day 20"},
		{"unseen_week_of_a_pool", pool, 84 * time.Hour, pastOf(pool, 0.6, -1, 0.6), "on_course, history, at 50, reaches 70.5 (40.6–174.1), lasts 70, a day 17.1"},
		{"part_of_a_week", week, 84 * time.Hour, []Window{moved(pastOf(week, 0.6)[0], -6*d)}, "on_course, history, at 50, reaches 70.9 (40.6–175.9), lasts 70, a day 17.1"},
		{"day_off", day, 12 * time.Hour, pastOf(day, 0.6, -1, 0.6), "tight, history, at 50, reaches 79.6 (40–409.1), lasts 57"},
		{"hours_off", hours, 2 * time.Hour, pastOf(hours, 0.6, -1, 0.6), "tight, history, at 40, reaches 83.1 (40–378.4), lasts 56"},
		{"long_ago", week, 84 * time.Hour, []Window{moved(pastOf(week, 0.6)[0], -600*d)}, "on_course, history, at 50, reaches 53.1 (40.2–97.5), lasts 90, a day 17.1"},

		// Windows that differ.
		{"another_allowance", cycle, 15 * d, []Window{{Window: pastOf(cycle, 1)[0].Window, Used: usagetest.AmountOf(900), Total: usagetest.AmountOf(1000)}}, "on_course, history, at 50, reaches 83.7 (51.4–151.3), lasts 65, a day 20"},
		{"another_length", cycle, 15 * d, pastOf(usage.Meter{Window: usage.Window{Start: cycle.Window.Start, End: cycle.Window.End.Add(82 * time.Hour)}, Total: cycle.Total}, 0.9), "on_course, at 50, reaches 82.4 (51.1–148), lasts 67, a day 20"},
		{"february_after_january", february, 14 * d, []Window{january}, "on_course, history, at 50, reaches 83.7 (51.4–151.3), lasts 65, a day 21.4"},
		// A cycle had ended in 12 days when this one took its place, at six tenths.
		{"another_plan", cycle, 15 * d, []Window{moved(pastOf(cycle, 0.5)[0], 12*d)}, "on_course, history, at 50, reaches 82.5 (51.1–148.2), lasts 67, a day 20"},
		{"another_plan_from_the_same_day", cycle, 15 * d, []Window{moved(pastOf(cycle, 0.5)[0], 30*d)}, "on_course, at 50, reaches 82.4 (51.1–148), lasts 67, a day 20"},
		{"another_plan_in_between", week, 84 * time.Hour, []Window{
			moved(pastOf(week, 0.6)[0], -21*d), {Window: usage.Window{Start: week.Window.Start.Add(-21 * d), End: week.Window.Start}, Used: usagetest.AmountOf(5), Total: usagetest.AmountOf(500)},
		}, "tight, history, at 50, reaches 71.1 (40.6–176.7), lasts 70, a day 17.1"},
		{"no_total", cycle, 15 * d, []Window{{Window: pastOf(cycle, 1)[0].Window, Used: usagetest.AmountOf(900)}}, "on_course, at 50, reaches 82.4 (51.1–148), lasts 67, a day 20"},

		// The hours of a day.
		{"mornings", day, 12 * time.Hour, []Window{morning}, "tight, history, at 50, reaches 79.8 (40–410.7), lasts 56"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := brief(paceOf(tt.meter.Window.Start.Add(tt.at), Seen{Past: tt.past}, Options{}, tt.meter)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}
