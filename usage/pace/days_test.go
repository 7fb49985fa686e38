package pace

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// Work days make windows shorter, also on days when the clocks change. What is expected
// here was worked out by another program.
func TestPaceOnWorkDays(t *testing.T) {
	t.Parallel()
	meter := func(id usage.MeterID, used, total float64, start, end string) usage.Meter {
		unit := usage.UnitCredits
		if id != usage.PromptCredits {
			unit = usage.UnitPercent
		}
		return usage.Meter{ID: id, Unit: unit, Window: usage.Window{Start: moment(t, start), End: moment(t, end)}}.Of(usagetest.AmountOf(used), usagetest.AmountOf(total))
	}
	// Monday 2 March 00:00 to Monday 30 March 00:00, local time: 20 work days.
	berlin := meter(usage.PromptCredits, 250, 500, "2026-03-01T23:00:00Z", "2026-03-29T22:00:00Z")
	runningOut := meter(usage.PromptCredits, 300, 500, "2026-03-01T23:00:00Z", "2026-03-29T22:00:00Z")
	// Sunday 1 March 10:00 to Sunday 29 March 10:00, local time: 20 work days.
	newYork := meter(usage.PromptCredits, 300, 500, "2026-03-01T15:00:00Z", "2026-03-29T14:00:00Z")
	weekend := []time.Weekday{time.Saturday, time.Sunday}
	// Friday 2 November 00:00 to Friday 16 November 00:00, local time: two weekends,
	// the first with 47 hours.
	saoPaulo := meter(usage.PromptCredits, 250, 500, "2018-11-02T03:00:00Z", "2018-11-16T02:00:00Z")
	// Friday 08:00 to Saturday 08:00, local time: 16 hours of work.
	friday := meter(usage.DailyQuota, 40, 100, "2026-03-06T07:00:00Z", "2026-03-07T07:00:00Z")
	// Saturday 10:00 to Sunday 10:00, local time, of which the clocks skip 2:00 to 3:00.
	shortDay := meter(usage.DailyQuota, 40, 100, "2026-03-28T09:00:00Z", "2026-03-29T08:00:00Z")
	tests := []struct {
		name  string
		meter usage.Meter
		at    string
		zone  string
		days  []time.Weekday
		past  []Window
		want  string
	}{
		{"half_of_the_work", berlin, "2026-03-15T10:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil, "tight, at 50, reaches 98.7 (62.7–173.9), lasts 51, a day 25"},
		{"without_work_days", berlin, "2026-03-15T10:00:00Z", "Europe/Berlin", nil, nil, "tight, at 48.1, reaches 101.9 (64.1–179.2), lasts 48, a day 17.2"},
		{"runs_out_after_the_weekend", runningOut, "2026-03-11T23:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil, "runs_out, at 40, reaches 136.1 (82.8–240.8), lasts 23, a day 16.7, out 03-20T06:23:13, from 03-16T14:42:31"},
		// The change of clocks is on a Sunday in between, 8 March.
		{"runs_out_in_new_york", newYork, "2026-03-07T18:00:00Z", "America/New_York", usagetest.OfficeDays, nil, "runs_out, at 25, reaches 181.1 (100.5–340.5), lasts 10, a day 13.3, out 03-14T02:56:49, from 03-11T07:20:25, to 03-27T23:26:00"},
		{"weekends_with_a_skipped_midnight", saoPaulo, "2018-11-05T12:00:00Z", "America/Sao_Paulo", weekend, nil, "tight, at 49.5, reaches 99.6 (63.1–175.4), lasts 50, a day 125"},
		{"no_work_yet", newYork, "2026-03-02T04:59:00Z", "America/New_York", usagetest.OfficeDays, nil, "too_early, early, at 0, a day 10"},
		{"no_more_work", berlin, "2026-03-28T10:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil, "on_course, at 100, reaches 50 (50–50), lasts 99, a day 250"},
		{
			"no_work_at_all", meter(usage.DailyQuota, 50, 100, "2026-03-07T08:00:00Z", "2026-03-08T08:00:00Z"),
			"2026-03-08T00:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil, "too_early",
		},
		// The cycle before was used up on its first Friday evening: a quarter of its work
		// days were over, and less of its days.
		{
			"past_work_days", berlin, "2026-03-15T23:00:00Z", "Europe/Berlin", usagetest.OfficeDays,
			[]Window{usedUp(Window{Window: usage.Window{Start: moment(t, "2026-02-01T23:00:00Z"), End: berlin.Window.Start}, Total: berlin.Total}, 5.0/28)},
			"runs_out, history, at 50, reaches 120.3 (68.4–229), lasts 34, a day 25, out 03-25T01:37:55, from 03-18T18:02:45",
		},
		// A day of the past without work does not count.
		{
			"past_weekend", friday, "2026-03-06T15:00:00Z", "Europe/Berlin", usagetest.OfficeDays,
			[]Window{{Window: usage.Window{Start: moment(t, "2026-02-28T07:00:00Z"), End: moment(t, "2026-03-01T07:00:00Z")}, Used: usagetest.AmountOf(90), Total: usagetest.AmountOf(100)}},
			"tight, at 50, reaches 62 (40–244.7), lasts 68",
		},
		{"hours_of_a_short_day", shortDay, "2026-03-28T21:00:00Z", "Europe/Berlin", nil, nil, "tight, at 52.2, reaches 60 (40–236.3), lasts 70"},
		{"hours_of_a_work_day", friday, "2026-03-06T15:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil, "tight, at 50, reaches 62 (40–244.7), lasts 68"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{WorkDays: tt.days, Location: usagetest.Zone(t, tt.zone)}
			if got := brief(paceOf(moment(t, tt.at), Seen{Past: tt.past}, o, tt.meter)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}
