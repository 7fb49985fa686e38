package pace

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// calm is how far the calm rate is projected, as a check of the package's own.
func calm(used, average, recent, trust, ahead float64) float64 {
	d := math.Log(recent / average)
	return used + ahead*(average+trust*d*d/(d*d+0.25)*(recent-average))
}

// cut is a figure truncated to six decimals.
func cut(figure float64) usage.Amount { return usage.Micros(int64(figure * 1e6)) }

func TestRates(t *testing.T) {
	t.Parallel()
	m := usagetest.CreditMeter(200)
	weekly, daily := quotaMeter(usage.WeeklyQuota, 40), quotaMeter(usage.DailyQuota, 30)
	// The meters stand at 200 of 500 after 15 of 30 days, and at 40 % after 3½
	// days of a week.
	tests := []struct {
		name    string
		meter   usage.Meter
		at      time.Duration
		history History
		want    float64 // percent that is used in the end
		basis   usage.Basis
		reason  string
	}{
		{"no_history", m, 15 * usagetest.Day, nil, 80, usage.BasisAverage, ""},
		{"history_too_short", m, 15 * usagetest.Day, seen(m, 8*24+1, 100, 10*24, 120, 12*24, 150), 80, usage.BasisAverage, ""},
		{"same_pace", m, 15 * usagetest.Day, seen(m, 8*24, 200.0*8/15), 80, usage.BasisBoth, ""},
		// 60 in the last 7 days.
		{"slower", m, 15 * usagetest.Day, seen(m, 8*24, 140), calm(200, 200./15, 60./7, 1, 15) / 5, usage.BasisBoth, ""},
		{"idle", m, 15 * usagetest.Day, seen(m, 7*24, 180, 8*24, 200, 9*24, 200, 14*24, 200), 40, usage.BasisBoth, ""},
		{"three_rises", m, 15 * usagetest.Day, seen(m, 8*24, 80, 10*24, 110, 12*24, 140), calm(200, 200./15, 120./7, 1, 15) / 5, usage.BasisBoth, ""},
		{"two_rises", m, 15 * usagetest.Day, seen(m, 8*24, 80, 10*24, 110, 12*24, 110), 80, usage.BasisAverage, ""},
		{"rises_before_the_stretch", m, 15 * usagetest.Day, seen(m, 1, 10, 2, 20, 3, 30, 7*24, 80, 8*24, 80, 12*24, 140), 80, usage.BasisAverage, ""},
		{"last_sample_before_the_stretch", m, 15 * usagetest.Day, seen(m, 5*24, 100, 8*24+1, 150), calm(200, 200./15, 100./10, 1, 15) / 5, usage.BasisBoth, ""},
		{"unsorted", m, 15 * usagetest.Day, History{m.ID: {
			seen(m, 12*24, 140)[m.ID][0], seen(m, 8*24, 80)[m.ID][0], seen(m, 10*24, 110)[m.ID][0],
		}}, calm(200, 200./15, 120./7, 1, 15) / 5, usage.BasisBoth, ""},

		{"as_old_as_the_stretch", usagetest.CreditMeter(70), 7 * usagetest.Day, seen(m, 0, 0, 24, 20), 60, usage.BasisBoth, ""},
		{"just_the_same", usagetest.CreditMeter(150), 15 * usagetest.Day, seen(m, 8*24, 80), 60, usage.BasisBoth, ""},

		// What does not count.
		{"another_window", m, 15 * usagetest.Day, History{m.ID: {{At: after(8 * usagetest.Day), Used: usagetest.AmountOf(140), End: usagetest.Month.Start}}}, 80, usage.BasisAverage, ""},
		{"a_reset_that_trembles", m, 15 * usagetest.Day, History{m.ID: {{At: after(8 * usagetest.Day), Used: usagetest.AmountOf(140), End: usagetest.Month.End.Add(time.Hour)}}}, calm(200, 200./15, 60./7, 1, 15) / 5, usage.BasisBoth, ""},
		{"a_reset_that_moves_by_less_than_half", m, 15 * usagetest.Day, History{m.ID: {{At: after(8 * usagetest.Day), Used: usagetest.AmountOf(140), End: usagetest.Month.End.Add(time.Second - 15*usagetest.Day)}}}, calm(200, 200./15, 60./7, 1, 15) / 5, usage.BasisBoth, ""},
		{"a_reset_that_moves_by_half", m, 15 * usagetest.Day, History{m.ID: {{At: after(8 * usagetest.Day), Used: usagetest.AmountOf(140), End: usagetest.Month.End.Add(15 * usagetest.Day)}}}, 80, usage.BasisAverage, ""},
		{"before_the_window", m, 15 * usagetest.Day, seen(m, -1, 140), 80, usage.BasisAverage, ""},
		{"from_the_future", m, 15 * usagetest.Day, seen(m, 15*24, 140, 16*24, 250), 80, usage.BasisAverage, ""},
		{"unknown", m, 15 * usagetest.Day, History{m.ID: {{At: after(8 * usagetest.Day), End: usagetest.Month.End}}}, 80, usage.BasisAverage, ""},
		{"another_meter", m, 15 * usagetest.Day, History{usage.FlowCredits: seen(m, 8*24, 140)[m.ID]}, 80, usage.BasisAverage, ""},
		{"a_fall_begins_anew", m, 15 * usagetest.Day, seen(m, 7*24, 180, 9*24, 100, 12*24, 150), 80, usage.BasisAverage, ""},
		{"a_fall_long_ago", m, 15 * usagetest.Day, seen(m, 3*24, 180, 6*24, 100, 8*24, 140, 12*24, 150), calm(200, 200./15, 60./7, 1, 15) / 5, usage.BasisBoth, ""},
		{"a_fall_just_now", m, 15 * usagetest.Day, seen(m, 8*24, 140, 12*24, 200.02), 80, usage.BasisAverage, ""},
		{"a_fall_of_a_step", m, 15 * usagetest.Day, seen(m, 8*24, 140, 12*24, 200.01), calm(200, 200./15, 60./7, 1, 15) / 5, usage.BasisBoth, ""},

		// Three hours of a day, and a day of a week, count for half.
		{"slow_hours", daily, 12 * time.Hour, seen(daily, 8, 20, 9, 24), calm(30, 30./12, 6./3, 0.5, 12), usage.BasisBoth, ""},
		{"slow_day", weekly, 84 * time.Hour, seen(weekly, 60, 36), calm(40, 40./84, 4./24, 0.5, 84), usage.BasisBoth, ""},
		{"fast_day", weekly, 84 * time.Hour, seen(weekly, 60, 20, 66, 24, 72, 32), calm(40, 40./84, 20./24, 0.5, 84), usage.BasisBoth, "at the pace of the last 24h"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := paceOf(after(tt.at), tt.history, Options{}, tt.meter)
			projected, _ := got.Projected.Float()
			if math.Abs(projected-tt.want) > 2e-6 || got.Basis != tt.basis || got.Reason != tt.reason {
				t.Errorf("projected %v by %v, reason %q, want %v by %v, reason %q", projected, got.Basis, got.Reason, tt.want, tt.basis, tt.reason)
			}
		})
	}
}

// The whole pace, where the recent rate changes it.
func TestPaceWithHistory(t *testing.T) {
	t.Parallel()
	base := sketch{Confidence: usage.ConfidenceEstablished, Basis: usage.BasisBoth, Elapsed: usagetest.AmountOf(50)}
	// Such hours after the figure.
	hours := func(n float64) time.Time {
		return after(15*usagetest.Day + time.Duration(n*float64(time.Hour))).Truncate(time.Second)
	}
	tests := []struct {
		name  string
		meter usage.Meter
		pairs []float64
		want  *usage.Pace
	}{
		{"tight_by_the_last_days", usagetest.CreditMeter(200), []float64{8 * 24, 56, 10 * 24, 110, 12 * 24, 140}, base.with(func(p *usage.Pace) {
			p.Verdict, p.Reason = usage.VerdictTight, "at the pace of the last 7d"
			p.Projected, p.BudgetPerDay = cut(calm(200, 200./360, 144./168, 1, 360)/5), usagetest.AmountOf(20)
		})},
		{"speeding_up", usagetest.CreditMeter(255), []float64{8 * 24, 85, 10 * 24, 160, 12 * 24, 200}, base.with(func(p *usage.Pace) {
			p.Verdict, p.BudgetPerDay = usage.VerdictRunsOut, usage.Micros(16_333_333)
			p.Projected = cut(calm(255, 255./360, 170./168, 1, 360) / 5)
			p.RunsOutAt = hours(245 / calm(0, 255./360, 170./168, 1, 1))
		})},
		{"slowing_down", usagetest.CreditMeter(400), []float64{8 * 24, 340}, base.with(func(p *usage.Pace) {
			p.Verdict, p.BudgetPerDay = usage.VerdictRunsOut, usage.Micros(6_666_666)
			p.Projected = cut(calm(400, 400./360, 60./168, 1, 360) / 5)
			p.RunsOutAt = hours(100 / calm(0, 400./360, 60./168, 1, 1))
			p.RunsOutFrom = hours(100 / (400. / 360))
		})},
		{"slowing_down_a_little", usagetest.CreditMeter(400), []float64{8 * 24, 316}, base.with(func(p *usage.Pace) {
			p.Verdict, p.BudgetPerDay = usage.VerdictRunsOut, usage.Micros(6_666_666)
			p.Projected = cut(calm(400, 400./360, 84./168, 1, 360) / 5)
			p.RunsOutAt = hours(100 / calm(0, 400./360, 84./168, 1, 1))
			p.RunsOutFrom = hours(100 / (400. / 360))
		})},
		{"idle_and_nearly_used", usagetest.CreditMeter(460), []float64{8 * 24, 460, 12 * 24, 460}, base.with(func(p *usage.Pace) {
			p.Verdict, p.BudgetPerDay, p.Projected = usage.VerdictTight, usage.Micros(2_666_666), usagetest.AmountOf(92)
		})},
		{"sprint_is_over", usagetest.CreditMeter(400), []float64{7 * 24, 398, 8 * 24, 399}, base.with(func(p *usage.Pace) {
			p.Verdict, p.Reason, p.BudgetPerDay = usage.VerdictTight, "at the average pace", usage.Micros(6_666_666)
			p.Projected = cut(calm(400, 400./360, 1./168, 1, 360) / 5)
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := paceOf(after(15*usagetest.Day), seen(tt.meter, tt.pairs...), Options{}, tt.meter)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
