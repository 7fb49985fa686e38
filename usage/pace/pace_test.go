package pace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func quotaMeter(id usage.MeterID, used float64) usage.Meter {
	length := map[usage.Rhythm]time.Duration{
		usage.RhythmHours: 5 * time.Hour, usage.RhythmDay: usagetest.Day, usage.RhythmWeek: 7 * usagetest.Day,
	}[id.Info().Rhythm]
	return usage.Meter{ID: id, Unit: usage.UnitPercent, Window: usage.Window{Start: usagetest.Month.Start, End: usagetest.Month.Start.Add(length)}}.
		Of(usagetest.AmountOf(used), usagetest.AmountOf(100))
}

// after is a time after the windows above began.
func after(d time.Duration) time.Time { return usagetest.Month.Start.Add(d) }

// seen are samples of a meter, as pairs of hours since the window began and use.
func seen(m usage.Meter, pairs ...float64) History {
	var samples []Sample
	for i := 0; i < len(pairs); i += 2 {
		at := m.Window.Start.Add(time.Duration(pairs[i] * float64(time.Hour)))
		samples = append(samples, Sample{At: at, Used: usagetest.AmountOf(pairs[i+1]), End: m.Window.End})
	}
	return History{m.ID: samples}
}

// paceOf is the pace of the first meter.
func paceOf(at time.Time, h History, o Options, meters ...usage.Meter) *usage.Pace {
	return Judge(usage.Snapshot{Source: usage.Source{FetchedAt: at}, Meters: meters}, h, o).Meters[0].Pace
}

// sketch is a pace that is still to be changed.
type sketch usage.Pace

func (s sketch) with(change func(*usage.Pace)) *usage.Pace {
	p := usage.Pace(s)
	change(&p)
	return &p
}

// percents is an established pace by the average.
func percents(v usage.Verdict, elapsed, projected, budget float64) sketch {
	return sketch{
		Verdict: v, Confidence: usage.ConfidenceEstablished, Basis: usage.BasisAverage,
		Elapsed: usagetest.AmountOf(elapsed), Projected: usagetest.AmountOf(projected), BudgetPerDay: usagetest.AmountOf(budget),
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	flex := func(used, total float64) usage.Meter {
		return usage.Meter{ID: usage.FlexCredits, Unit: usage.UnitCredits}.Of(usagetest.AmountOf(used), usagetest.AmountOf(total))
	}
	asItIs := func(*usage.Pace) {}
	early := func(p *usage.Pace) { p.Confidence = usage.ConfidenceEarly }
	exhausted := func(p *usage.Pace) { p.Projected, p.BudgetPerDay = usage.Amount{}, usage.Amount{} }
	unprojected := func(p *usage.Pace) { p.Projected = usage.Amount{} }
	tooEarly := func(p *usage.Pace) { p.Projected, p.Confidence = usage.Amount{}, usage.ConfidenceEarly }
	daily := func(p *usage.Pace) { p.BudgetPerDay = usage.Amount{} }
	tests := []struct {
		name   string
		at     time.Duration
		meter  usage.Meter
		beside []usage.Meter
		want   *usage.Pace
	}{
		// From the figure.
		{name: "used_up", at: 10 * usagetest.Day, meter: usagetest.CreditMeter(500), want: percents(usage.VerdictUsedUp, 33.333333, 0, 0).with(exhausted)},
		{name: "used_more_than_there_is", at: 10 * usagetest.Day, meter: usagetest.CreditMeter(700), want: percents(usage.VerdictUsedUp, 33.333333, 0, 0).with(exhausted)},
		{name: "a_trace_left", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(499.995001), want: percents(usage.VerdictUsedUp, 50, 0, 0).with(exhausted)},
		{
			name: "a_hundredth_left", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(499.995),
			want: percents(usage.VerdictRunsOut, 50, 999, 0.000333).with(func(p *usage.Pace) {
				p.Projected, p.RunsOutAt = usagetest.AmountOf(199.998), after(15*usagetest.Day+12*time.Second)
			}),
		},
		{name: "unused", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(0), want: percents(usage.VerdictUnused, 50, 0, 33.333333).with(unprojected)},
		{name: "unused_at_once", meter: usagetest.CreditMeter(0), want: percents(usage.VerdictUnused, 0, 0, 16.666666).with(unprojected)},
		{name: "too_early", at: 14*time.Hour + 23*time.Minute, meter: usagetest.CreditMeter(30), want: percents(usage.VerdictTooEarly, 1.997685, 0, 15.986016).with(tooEarly)},
		{name: "soon_enough", at: 14*time.Hour + 24*time.Minute, meter: usagetest.CreditMeter(9), want: percents(usage.VerdictOnCourse, 2, 90, 16.700680).with(early)},
		{name: "no_more_too_early", at: 15 * time.Hour, meter: usagetest.CreditMeter(9), want: percents(usage.VerdictOnCourse, 2.083333, 86.4, 16.714893).with(early)},
		{name: "too_early_for_so_little", at: 14*time.Hour + 30*time.Minute, meter: usagetest.CreditMeter(24.99), want: percents(usage.VerdictTooEarly, 2.013888, 0, 16.159092).with(tooEarly)},
		{name: "too_early_for_nearly_all", at: 14*time.Hour + 24*time.Minute, meter: usagetest.CreditMeter(9.2), want: percents(usage.VerdictTooEarly, 2, 0, 16.693877).with(tooEarly)},
		{name: "enough_to_tell", at: 15 * time.Hour, meter: usagetest.CreditMeter(25), want: percents(usage.VerdictTight, 2.083333, 240, 16.170212).with(func(p *usage.Pace) {
			p.Confidence, p.Reason = usage.ConfidenceEarly, usage.ReasonFastStart
		})},
		{name: "minutes_of_a_day", at: 29 * time.Minute, meter: quotaMeter(usage.DailyQuota, 10), want: percents(usage.VerdictTight, 2.013888, 496.551724, 0).with(func(p *usage.Pace) {
			daily(p)
			early(p)
			p.Reason = usage.ReasonFastStart
		})},

		// By the average.
		{name: "on_course", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(224), want: percents(usage.VerdictOnCourse, 50, 89.6, 18.4).with(asItIs)},
		{name: "tight", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(226), want: percents(usage.VerdictTight, 50, 90.4, 18.266666).with(asItIs)},
		{name: "tight_to_the_last", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(249), want: percents(usage.VerdictTight, 50, 99.6, 16.733333).with(asItIs)},
		{name: "runs_out", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(300), want: percents(usage.VerdictRunsOut, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.RunsOutAt = after(25 * usagetest.Day)
		})},
		{name: "the_end_is_near", at: 30*usagetest.Day - time.Hour, meter: usagetest.CreditMeter(499.5), want: percents(usage.VerdictRunsOut, 99.861111, 100.038942, 0.5).with(func(p *usage.Pace) {
			p.RunsOutAt = after(30*usagetest.Day - time.Hour + 2590*time.Second)
		})},
		{name: "fast_start", at: 2*usagetest.Day + 23*time.Hour, meter: usagetest.CreditMeter(60), want: percents(usage.VerdictTight, 9.861111, 121.690140, 16.271186).with(func(p *usage.Pace) {
			p.Confidence, p.Reason = usage.ConfidenceEarly, usage.ReasonFastStart
		})},
		{name: "start_is_over", at: 3 * usagetest.Day, meter: usagetest.CreditMeter(60), want: percents(usage.VerdictRunsOut, 10, 120, 16.296296).with(func(p *usage.Pace) {
			p.RunsOutAt = after(25 * usagetest.Day)
		})},
		{name: "at_most_999", at: 15 * time.Hour, meter: usagetest.CreditMeter(499), want: percents(usage.VerdictTight, 2.083333, 999, 0.034042).with(func(p *usage.Pace) {
			p.Confidence, p.Reason = usage.ConfidenceEarly, usage.ReasonFastStart
		})},
		{name: "fast_day", at: 12 * time.Hour, meter: quotaMeter(usage.DailyQuota, 60), want: percents(usage.VerdictTight, 50, 120, 0).with(func(p *usage.Pace) {
			daily(p)
			p.Reason = usage.ReasonFastDay
		})},
		{name: "fast_hours", at: 150 * time.Minute, meter: quotaMeter(usage.Gemini5h, 60), want: percents(usage.VerdictTight, 50, 120, 0).with(func(p *usage.Pace) {
			daily(p)
			p.Reason = usage.ReasonFastHours
		})},
		{name: "week_of_a_pool", at: 84 * time.Hour, meter: quotaMeter(usage.GeminiWeekly, 60), want: percents(usage.VerdictRunsOut, 50, 120, 11.428571).with(func(p *usage.Pace) {
			p.RunsOutAt = after(140 * time.Hour)
		})},
		{name: "tight_day", at: 12 * time.Hour, meter: quotaMeter(usage.DailyQuota, 48), want: percents(usage.VerdictTight, 50, 96, 0).with(daily)},
		{name: "week", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 60), want: percents(usage.VerdictRunsOut, 50, 120, 11.428571).with(func(p *usage.Pace) {
			p.RunsOutAt = after(140 * time.Hour)
		})},

		// Half a step more or less is another verdict.
		{name: "on_the_line", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(225), want: percents(usage.VerdictOnCourse, 50, 90, 18.333333).with(early)},
		{name: "either_tight_or_not", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 45), want: percents(usage.VerdictOnCourse, 50, 90, 15.714285).with(early)},
		{name: "barely_tight_or_not", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 44.6), want: percents(usage.VerdictOnCourse, 50, 89.2, 15.828571).with(early)},
		{name: "barely_not_tight", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 44.4), want: percents(usage.VerdictOnCourse, 50, 88.8, 15.885714).with(asItIs)},
		{name: "either_out_or_tight", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 50), want: percents(usage.VerdictTight, 50, 100, 14.285714).with(early)},
		{name: "surely_tight", at: 84 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 46), want: percents(usage.VerdictTight, 50, 92, 15.428571).with(asItIs)},
		{name: "out_by_less_than_a_step", at: 100 * time.Hour, meter: quotaMeter(usage.WeeklyQuota, 60), want: percents(usage.VerdictTight, 59.523809, 100.8, 14.117647).with(early)},

		// Prompt credits, then flex credits.
		{name: "then_flex", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(300), beside: []usage.Meter{flex(0, 101)}, want: percents(usage.VerdictTight, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.Reason, p.SwitchesAt = usage.ReasonFlex, after(25*usagetest.Day)
		})},
		{name: "too_little_flex", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(300), beside: []usage.Meter{flex(10, 109)}, want: percents(usage.VerdictRunsOut, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.RunsOutAt = after(30*usagetest.Day - 72*time.Minute)
		})},
		{name: "no_flex_left", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(300), beside: []usage.Meter{flex(100, 100)}, want: percents(usage.VerdictRunsOut, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.RunsOutAt = after(25 * usagetest.Day)
		})},
		{name: "flex_without_an_end", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(300), beside: []usage.Meter{{ID: usage.FlexCredits, State: usage.StateUnlimited}}, want: percents(usage.VerdictTight, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.Reason, p.SwitchesAt = usage.ReasonFlex, after(25*usagetest.Day)
		})},
		{name: "lasts_without_flex", at: 15 * usagetest.Day, meter: usagetest.CreditMeter(200), beside: []usage.Meter{flex(0, 100)}, want: percents(usage.VerdictOnCourse, 50, 80, 20).with(asItIs)},
		{name: "flex_is_not_for_other_meters", at: 15 * usagetest.Day, meter: usage.Meter{ID: usage.FlowCredits, Unit: usage.UnitCredits, Window: usagetest.Month}.Of(usagetest.AmountOf(300), usagetest.AmountOf(500)), beside: []usage.Meter{flex(0, 100)}, want: percents(usage.VerdictRunsOut, 50, 120, 13.333333).with(func(p *usage.Pace) {
			p.RunsOutAt = after(25 * usagetest.Day)
		})},
		{name: "fast_start_with_too_little_flex", at: 2 * usagetest.Day, meter: usagetest.CreditMeter(60), beside: []usage.Meter{flex(0, 10)}, want: percents(usage.VerdictTight, 6.666666, 180, 15.714285).with(func(p *usage.Pace) {
			p.Confidence, p.Reason = usage.ConfidenceEarly, usage.ReasonFastStart
		})},

		// None.
		{name: "before_its_window", at: -time.Second, meter: usagetest.CreditMeter(10)},
		{name: "at_its_reset", at: 30 * usagetest.Day, meter: usagetest.CreditMeter(10)},
		{name: "no_window", at: usagetest.Day, meter: flex(10, 100)},
		{name: "no_start", at: usagetest.Day, meter: func() usage.Meter { m := usagetest.CreditMeter(10); m.Window.Start = time.Time{}; return m }()},
		{name: "no_end", at: usagetest.Day, meter: func() usage.Meter { m := usagetest.CreditMeter(10); m.Window.End = time.Time{}; return m }()},
		{name: "no_length", at: 0, meter: func() usage.Meter { m := usagetest.CreditMeter(10); m.Window.End = m.Window.Start; return m }()},
		{name: "unlimited", at: usagetest.Day, meter: usagetest.CreditMeter(10).Without(usage.StateUnlimited)},
		{name: "unreadable", at: usagetest.Day, meter: usagetest.CreditMeter(10).Without(usage.StateUnreadable)},
		{name: "no_total", at: usagetest.Day, meter: usage.Meter{ID: usage.ACU, Unit: usage.UnitACU, State: usage.StateOK, Used: usagetest.AmountOf(3), Window: usagetest.Month}},
		{name: "balance", at: usagetest.Day, meter: usage.Meter{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usagetest.AmountOf(3), Window: usagetest.Month}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := paceOf(after(tt.at), nil, Options{}, append([]usage.Meter{tt.meter}, tt.beside...)...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
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

// A meter's recent span is a part of its window.
func TestRecentIsWithinTheWindow(t *testing.T) {
	t.Parallel()
	for _, raw := range usagetest.Inputs(t) {
		s, _ := windsurf.Decode(raw, usage.Source{})
		for _, m := range s.Meters {
			k, ok := kinds[m.ID.Info().Rhythm]
			if w := m.Window; ok && !w.Start.IsZero() && !w.End.IsZero() && k.recent >= w.End.Sub(w.Start) {
				t.Errorf("the recent pace of %s is that of %v, its window has %v", m.ID, k.recent, w.End.Sub(w.Start))
			}
		}
	}
}
