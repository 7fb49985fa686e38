package usage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// month is a window of 30 days.
var month = Window{
	Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	End:   time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC),
}

// amount is a figure with decimals.
func amount(figure float64) Amount { return Micros(int64(figure*1e6 + 0.5)) }

// creditMeter has 500 credits in the month.
func creditMeter(used float64) Meter {
	return Meter{ID: PromptCredits, Unit: UnitCredits, Window: month}.of(amount(used), amount(500))
}

func quotaMeter(id MeterID, used float64) Meter {
	length := 24 * time.Hour
	if id == WeeklyQuota {
		length *= 7
	}
	return Meter{ID: id, Unit: UnitPercent, Window: Window{Start: month.Start, End: month.Start.Add(length)}}.
		of(amount(used), amount(100))
}

// after is a time after the windows above began.
func after(d time.Duration) time.Time { return month.Start.Add(d) }

const day = 24 * time.Hour

// seen are samples of a meter, given as hours after the window began and what
// was used.
func seen(m Meter, pairs ...float64) History {
	var samples []Sample
	for i := 0; i < len(pairs); i += 2 {
		at := m.Window.Start.Add(time.Duration(pairs[i] * float64(time.Hour)))
		samples = append(samples, Sample{At: at, Used: amount(pairs[i+1]), End: m.Window.End})
	}
	return History{m.ID: samples}
}

// paceOf is the pace of the first of some meters.
func paceOf(at time.Time, h History, o PaceOptions, meters ...Meter) *Pace {
	return Snapshot{Source: Source{FetchedAt: at}, Meters: meters}.WithPace(h, o).Meters[0].Pace
}

// percents writes a pace that is established and by the average.
func percents(v Verdict, elapsed, projected, budget float64) Pace {
	return Pace{
		Verdict: v, Confidence: ConfidenceEstablished, Basis: BasisAverage,
		Elapsed: amount(elapsed), Projected: amount(projected), BudgetPerDay: amount(budget),
	}
}

func (p Pace) with(change func(*Pace)) *Pace {
	change(&p)
	return &p
}

func TestPace(t *testing.T) {
	t.Parallel()
	flex := func(used, total float64) Meter {
		return Meter{ID: FlexCredits, Unit: UnitCredits}.of(amount(used), amount(total))
	}
	asItIs := func(*Pace) {}
	early := func(p *Pace) { p.Confidence = ConfidenceEarly }
	exhausted := func(p *Pace) { p.Projected, p.BudgetPerDay = Amount{}, Amount{} }
	unprojected := func(p *Pace) { p.Projected = Amount{} }
	tooEarly := func(p *Pace) { p.Projected, p.Confidence = Amount{}, ConfidenceEarly }
	daily := func(p *Pace) { p.BudgetPerDay = Amount{} }
	tests := []struct {
		name   string
		at     time.Duration
		meter  Meter
		beside []Meter
		want   *Pace
	}{
		// From the figure.
		{name: "used_up", at: 10 * day, meter: creditMeter(500), want: percents(VerdictUsedUp, 33.333333, 0, 0).with(exhausted)},
		{name: "used_more_than_there_is", at: 10 * day, meter: creditMeter(700), want: percents(VerdictUsedUp, 33.333333, 0, 0).with(exhausted)},
		{name: "a_trace_left", at: 15 * day, meter: creditMeter(499.995001), want: percents(VerdictUsedUp, 50, 0, 0).with(exhausted)},
		{
			name: "a_hundredth_left", at: 15 * day, meter: creditMeter(499.995),
			want: percents(VerdictRunsOut, 50, 999, 0.000333).with(func(p *Pace) {
				p.Projected, p.RunsOutAt = amount(199.998), after(15*day+12*time.Second)
			}),
		},
		{name: "unused", at: 15 * day, meter: creditMeter(0), want: percents(VerdictUnused, 50, 0, 33.333333).with(unprojected)},
		{name: "unused_at_once", meter: creditMeter(0), want: percents(VerdictUnused, 0, 0, 16.666666).with(unprojected)},
		{name: "too_early", at: 14*time.Hour + 23*time.Minute, meter: creditMeter(30), want: percents(VerdictTooEarly, 1.997685, 0, 15.986016).with(tooEarly)},
		{name: "soon_enough", at: 14*time.Hour + 24*time.Minute, meter: creditMeter(9), want: percents(VerdictOnCourse, 2, 90, 16.700680).with(early)},
		{name: "no_more_too_early", at: 15 * time.Hour, meter: creditMeter(9), want: percents(VerdictOnCourse, 2.083333, 86.4, 16.714893).with(early)},
		{name: "too_early_for_so_little", at: 14*time.Hour + 30*time.Minute, meter: creditMeter(24.99), want: percents(VerdictTooEarly, 2.013888, 0, 16.159092).with(tooEarly)},
		{name: "too_early_for_nearly_all", at: 14*time.Hour + 24*time.Minute, meter: creditMeter(9.2), want: percents(VerdictTooEarly, 2, 0, 16.693877).with(tooEarly)},
		{name: "enough_to_tell", at: 15 * time.Hour, meter: creditMeter(25), want: percents(VerdictTight, 2.083333, 240, 16.170212).with(func(p *Pace) {
			p.Confidence, p.Reason = ConfidenceEarly, ReasonFastStart
		})},
		{name: "minutes_of_a_day", at: 29 * time.Minute, meter: quotaMeter(DailyQuota, 10), want: percents(VerdictTight, 2.013888, 496.551724, 0).with(func(p *Pace) {
			daily(p)
			early(p)
			p.Reason = ReasonFastStart
		})},

		// By the average.
		{name: "on_course", at: 15 * day, meter: creditMeter(224), want: percents(VerdictOnCourse, 50, 89.6, 18.4).with(asItIs)},
		{name: "tight", at: 15 * day, meter: creditMeter(226), want: percents(VerdictTight, 50, 90.4, 18.266666).with(asItIs)},
		{name: "tight_to_the_last", at: 15 * day, meter: creditMeter(249), want: percents(VerdictTight, 50, 99.6, 16.733333).with(asItIs)},
		{name: "runs_out", at: 15 * day, meter: creditMeter(300), want: percents(VerdictRunsOut, 50, 120, 13.333333).with(func(p *Pace) {
			p.RunsOutAt = after(25 * day)
		})},
		{name: "the_end_is_near", at: 30*day - time.Hour, meter: creditMeter(499.5), want: percents(VerdictRunsOut, 99.861111, 100.038942, 0.5).with(func(p *Pace) {
			p.RunsOutAt = after(30*day - time.Hour + 2590*time.Second)
		})},
		{name: "fast_start", at: 2*day + 23*time.Hour, meter: creditMeter(60), want: percents(VerdictTight, 9.861111, 121.690140, 16.271186).with(func(p *Pace) {
			p.Confidence, p.Reason = ConfidenceEarly, ReasonFastStart
		})},
		{name: "start_is_over", at: 3 * day, meter: creditMeter(60), want: percents(VerdictRunsOut, 10, 120, 16.296296).with(func(p *Pace) {
			p.RunsOutAt = after(25 * day)
		})},
		{name: "at_most_999", at: 15 * time.Hour, meter: creditMeter(499), want: percents(VerdictTight, 2.083333, 999, 0.034042).with(func(p *Pace) {
			p.Confidence, p.Reason = ConfidenceEarly, ReasonFastStart
		})},
		{name: "fast_day", at: 12 * time.Hour, meter: quotaMeter(DailyQuota, 60), want: percents(VerdictTight, 50, 120, 0).with(func(p *Pace) {
			daily(p)
			p.Reason = ReasonFastDay
		})},
		{name: "tight_day", at: 12 * time.Hour, meter: quotaMeter(DailyQuota, 48), want: percents(VerdictTight, 50, 96, 0).with(daily)},
		{name: "week", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 60), want: percents(VerdictRunsOut, 50, 120, 11.428571).with(func(p *Pace) {
			p.RunsOutAt = after(140 * time.Hour)
		})},

		// Half a step more or less is another verdict.
		{name: "on_the_line", at: 15 * day, meter: creditMeter(225), want: percents(VerdictOnCourse, 50, 90, 18.333333).with(early)},
		{name: "either_tight_or_not", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 45), want: percents(VerdictOnCourse, 50, 90, 15.714285).with(early)},
		{name: "barely_tight_or_not", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 44.6), want: percents(VerdictOnCourse, 50, 89.2, 15.828571).with(early)},
		{name: "barely_not_tight", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 44.4), want: percents(VerdictOnCourse, 50, 88.8, 15.885714).with(asItIs)},
		{name: "either_out_or_tight", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 50), want: percents(VerdictTight, 50, 100, 14.285714).with(early)},
		{name: "surely_tight", at: 84 * time.Hour, meter: quotaMeter(WeeklyQuota, 46), want: percents(VerdictTight, 50, 92, 15.428571).with(asItIs)},
		{name: "out_by_less_than_a_step", at: 100 * time.Hour, meter: quotaMeter(WeeklyQuota, 60), want: percents(VerdictTight, 59.523809, 100.8, 14.117647).with(early)},

		// Prompt credits, then flex credits.
		{name: "then_flex", at: 15 * day, meter: creditMeter(300), beside: []Meter{flex(0, 101)}, want: percents(VerdictTight, 50, 120, 13.333333).with(func(p *Pace) {
			p.Reason, p.SwitchesAt = ReasonFlex, after(25*day)
		})},
		{name: "too_little_flex", at: 15 * day, meter: creditMeter(300), beside: []Meter{flex(10, 109)}, want: percents(VerdictRunsOut, 50, 120, 13.333333).with(func(p *Pace) {
			p.RunsOutAt = after(30*day - 72*time.Minute)
		})},
		{name: "no_flex_left", at: 15 * day, meter: creditMeter(300), beside: []Meter{flex(100, 100)}, want: percents(VerdictRunsOut, 50, 120, 13.333333).with(func(p *Pace) {
			p.RunsOutAt = after(25 * day)
		})},
		{name: "flex_without_an_end", at: 15 * day, meter: creditMeter(300), beside: []Meter{{ID: FlexCredits, State: StateUnlimited}}, want: percents(VerdictTight, 50, 120, 13.333333).with(func(p *Pace) {
			p.Reason, p.SwitchesAt = ReasonFlex, after(25*day)
		})},
		{name: "lasts_without_flex", at: 15 * day, meter: creditMeter(200), beside: []Meter{flex(0, 100)}, want: percents(VerdictOnCourse, 50, 80, 20).with(asItIs)},
		{name: "flex_is_not_for_other_meters", at: 15 * day, meter: Meter{ID: FlowCredits, Unit: UnitCredits, Window: month}.of(amount(300), amount(500)), beside: []Meter{flex(0, 100)}, want: percents(VerdictRunsOut, 50, 120, 13.333333).with(func(p *Pace) {
			p.RunsOutAt = after(25 * day)
		})},
		{name: "fast_start_with_too_little_flex", at: 2 * day, meter: creditMeter(60), beside: []Meter{flex(0, 10)}, want: percents(VerdictTight, 6.666666, 180, 15.714285).with(func(p *Pace) {
			p.Confidence, p.Reason = ConfidenceEarly, ReasonFastStart
		})},

		// None.
		{name: "before_its_window", at: -time.Second, meter: creditMeter(10)},
		{name: "at_its_reset", at: 30 * day, meter: creditMeter(10)},
		{name: "no_window", at: day, meter: flex(10, 100)},
		{name: "no_start", at: day, meter: func() Meter { m := creditMeter(10); m.Window.Start = time.Time{}; return m }()},
		{name: "no_end", at: day, meter: func() Meter { m := creditMeter(10); m.Window.End = time.Time{}; return m }()},
		{name: "no_length", at: 0, meter: func() Meter { m := creditMeter(10); m.Window.End = m.Window.Start; return m }()},
		{name: "unlimited", at: day, meter: creditMeter(10).without(StateUnlimited)},
		{name: "unreadable", at: day, meter: creditMeter(10).without(StateUnreadable)},
		{name: "no_total", at: day, meter: Meter{ID: ACU, Unit: UnitACU, State: StateOK, Used: amount(3), Window: month}},
		{name: "balance", at: day, meter: Meter{ID: ExtraUsage, Unit: UnitUSD, State: StateOK, Remaining: amount(3), Window: month}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := paceOf(after(tt.at), nil, PaceOptions{}, append([]Meter{tt.meter}, tt.beside...)...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
