package pace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// Work days make windows shorter, also on days when the clocks change.
func TestPaceOnWorkDays(t *testing.T) {
	t.Parallel()
	meter := func(id usage.MeterID, used, total float64, start, end string) usage.Meter {
		unit := usage.UnitCredits
		if id != usage.PromptCredits {
			unit = usage.UnitPercent
		}
		return usage.Meter{ID: id, Unit: unit, Window: usage.Window{Start: moment(t, start), End: moment(t, end)}}.Of(usagetest.AmountOf(used), usagetest.AmountOf(total))
	}
	sample := func(at string, used float64, m usage.Meter) Sample {
		return Sample{At: moment(t, at), Used: usagetest.AmountOf(used), End: m.Window.End}
	}
	// Monday 2 March 00:00 to Monday 30 March 00:00, local time: 20 work days.
	berlin := meter(usage.PromptCredits, 250, 500, "2026-03-01T23:00:00Z", "2026-03-29T22:00:00Z")
	lighter := meter(usage.PromptCredits, 240, 500, "2026-03-01T23:00:00Z", "2026-03-29T22:00:00Z")
	// Sunday 1 March 10:00 to Sunday 29 March 10:00, local time: 20 work days.
	newYork := meter(usage.PromptCredits, 300, 500, "2026-03-01T15:00:00Z", "2026-03-29T14:00:00Z")
	weekend := []time.Weekday{time.Saturday, time.Sunday}
	// Friday 2 November 00:00 to Friday 16 November 00:00, local time: two weekends,
	// the first with 47 hours.
	saoPaulo := meter(usage.PromptCredits, 250, 500, "2018-11-02T03:00:00Z", "2018-11-16T02:00:00Z")
	tests := []struct {
		name    string
		meter   usage.Meter
		at      string
		zone    string
		days    []time.Weekday
		history []Sample
		want    *usage.Pace
	}{
		{
			"half_of_the_work", berlin, "2026-03-15T10:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil,
			percents(usage.VerdictTight, 50, 100, 25).with(func(p *usage.Pace) { p.Confidence = usage.ConfidenceEarly }),
		},
		{
			"without_work_days", berlin, "2026-03-15T10:00:00Z", "Europe/Berlin", nil, nil,
			// 323 of 671 hours are over.
			percents(usage.VerdictRunsOut, 48.137108, 103.869969, 17.241379).with(func(p *usage.Pace) {
				p.RunsOutAt = moment(t, "2026-03-28T21:00:00Z")
			}),
		},
		{
			// 8 days at 30 a day: 200 are left for 6⅔ days from Thursday on.
			"runs_out_after_the_weekend", meter(usage.PromptCredits, 300, 500, "2026-03-01T23:00:00Z", "2026-03-29T22:00:00Z"),
			"2026-03-11T23:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil,
			percents(usage.VerdictRunsOut, 40, 150, 16.666666).with(func(p *usage.Pace) {
				// 37.5 a day, so that it ends on Thursday the week after, a third into
				// the day.
				p.RunsOutAt = moment(t, "2026-03-19T07:00:00Z")
			}),
		},
		{
			// The change of clocks is on a Sunday in between, 8 March.
			"runs_out_in_new_york", newYork, "2026-03-07T18:00:00Z", "America/New_York", usagetest.OfficeDays, nil,
			percents(usage.VerdictRunsOut, 25, 240, 13.333333).with(func(p *usage.Pace) {
				// 60 a day, 3⅓ days from Monday 9 March 00:00 on.
				p.RunsOutAt = moment(t, "2026-03-12T12:00:00Z")
			}),
		},
		{
			"weekends_with_a_skipped_midnight", saoPaulo, "2018-11-05T12:00:00Z", "America/Sao_Paulo", weekend, nil,
			percents(usage.VerdictRunsOut, 49.473684, 101.063829, 125).with(func(p *usage.Pace) {
				p.RunsOutAt = moment(t, "2018-11-12T01:00:00Z") // 47 hours into 48
			}),
		},
		{
			"no_work_yet", newYork, "2026-03-02T04:59:00Z", "America/New_York", usagetest.OfficeDays, nil,
			percents(usage.VerdictTooEarly, 0, 0, 10).with(func(p *usage.Pace) { p.Projected, p.Confidence = usage.Amount{}, usage.ConfidenceEarly }),
		},
		{
			"no_more_work", berlin, "2026-03-28T10:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil,
			percents(usage.VerdictOnCourse, 100, 50, 250).with(func(*usage.Pace) {}),
		},
		{
			"no_work_at_all", meter(usage.DailyQuota, 50, 100, "2026-03-07T08:00:00Z", "2026-03-08T08:00:00Z"),
			"2026-03-08T00:00:00Z", "Europe/Berlin", usagetest.OfficeDays, nil,
			&usage.Pace{Verdict: usage.VerdictTooEarly, Confidence: usage.ConfidenceEarly, Basis: usage.BasisAverage},
		},
		{
			// Five work days before Monday 16 March are the week from the 9th on: 40
			// of 240 were used in them.
			"recent_week_is_five_days", lighter, "2026-03-15T23:00:00Z", "Europe/Berlin", usagetest.OfficeDays,
			[]Sample{sample("2026-03-03T23:00:00Z", 100, lighter), sample("2026-03-07T12:00:00Z", 200, lighter)},
			percents(usage.VerdictOnCourse, 50, 0, 26).with(func(p *usage.Pace) {
				p.Basis = usage.BasisBoth
				p.Projected = cut(calm(240, 24, 8, 1, 10) / 5)
			}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{WorkDays: tt.days, Location: usagetest.Zone(t, tt.zone)}
			got := paceOf(moment(t, tt.at), History{tt.meter.ID: tt.history}, o, tt.meter)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
