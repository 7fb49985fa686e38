package usage

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

func TestBinding(t *testing.T) {
	t.Parallel()
	credits := func(id MeterID, used, total int64) Meter {
		return Meter{ID: id, Unit: UnitCredits}.Of(Micros(used), Micros(total))
	}
	back := func(m Meter, hours int) Meter {
		m.Window.End = noon.Add(time.Duration(hours) * time.Hour)
		return m
	}
	state := func(id MeterID, s State) Meter { return Meter{ID: id, Unit: UnitCredits}.Without(s) }
	debt := Meter{ID: ExtraUsage, Unit: UnitUSD, State: StateOK, Remaining: Micros(-1)}
	paced := func(m Meter, p Pace) Meter {
		m.Pace = &p
		return m
	}
	out := func(hours int) Pace {
		return Pace{Verdict: VerdictRunsOut, RunsOutAt: noon.Add(time.Duration(hours) * time.Hour), Projected: Micros(int64(200-hours) * One)}
	}
	tight := func(chance int64) Pace { return Pace{Verdict: VerdictTight, Chance: Micros(chance * One)} }
	sometime := Pace{Verdict: VerdictRunsOut, Chance: Micros(50 * One)}
	fine := Pace{Verdict: VerdictOnCourse, Projected: Micros(80 * One)}
	tests := []struct {
		name   string
		meters []Meter
		want   MeterID
	}{
		{"none", nil, ""},
		{"lowest_share", []Meter{credits(DailyQuota, 5, 10), credits(WeeklyQuota, 7, 10)}, WeeklyQuota},
		{"lowest_share_not_lowest_number", []Meter{credits(DailyQuota, 1, 10), credits(ACU, 50, 100)}, ACU},
		{"first_of_equals", []Meter{credits(DailyQuota, 5, 10), credits(WeeklyQuota, 5, 10)}, DailyQuota},
		{"exhausted_before_low", []Meter{back(credits(DailyQuota, 10, 10), 1), back(credits(WeeklyQuota, 9, 10), 9)}, DailyQuota},
		{"latest_reset_of_exhausted", []Meter{back(credits(DailyQuota, 10, 10), 1), back(credits(WeeklyQuota, 10, 10), 9)}, WeeklyQuota},
		{"latest_reset_in_any_order", []Meter{back(credits(DailyQuota, 10, 10), 9), back(credits(WeeklyQuota, 10, 10), 1)}, DailyQuota},
		{"unknown_reset_is_the_latest", []Meter{back(credits(DailyQuota, 10, 10), 9), credits(WeeklyQuota, 10, 10)}, WeeklyQuota},
		{"unreadable_never_binds", []Meter{state(DailyQuota, StateUnreadable), credits(WeeklyQuota, 1, 10)}, WeeklyQuota},
		{"rolled_over_never_binds", []Meter{state(DailyQuota, StateRolledOver)}, ""},
		{"unlimited_never_binds", []Meter{state(PromptCredits, StateUnlimited)}, ""},
		{"balance_never_binds", []Meter{debt}, ""},
		{"money_never_binds", []Meter{Meter{ID: OnDemand, Unit: UnitUSD}.Of(Micros(9), Micros(10)), credits(CursorModels, 1, 10)}, CursorModels},
		{"money_alone_never_binds", []Meter{Meter{ID: OnDemand, Unit: UnitUSD}.Of(Micros(10), Micros(10))}, ""},
		{"dollars_that_are_included_bind", []Meter{Meter{ID: Included, Unit: UnitUSD}.Of(Micros(9), Micros(10))}, Included},
		{"requests_before_percentages", []Meter{credits(Requests, 1, 10), credits(OtherModels, 10, 10)}, Requests},
		{"unreadable_requests_never_bind", []Meter{state(Requests, StateUnreadable), credits(OtherModels, 10, 10)}, OtherModels},
		{"acu_without_limit_never_binds", []Meter{{ID: ACU, State: StateOK, Used: Micros(5)}}, ""},
		{"prompt_before_flex", []Meter{credits(PromptCredits, 1, 10), credits(FlexCredits, 9, 10)}, PromptCredits},
		{"empty_flex_beside_prompt", []Meter{credits(PromptCredits, 1, 10), credits(FlexCredits, 10, 10)}, PromptCredits},
		{"flex_once_prompt_is_used_up", []Meter{credits(PromptCredits, 10, 10), credits(FlexCredits, 1, 10)}, FlexCredits},
		{"empty_flex_once_prompt_is_used_up", []Meter{credits(PromptCredits, 10, 10), credits(FlexCredits, 10, 10)}, FlexCredits},
		{"flex_without_prompt", []Meter{credits(FlexCredits, 1, 10)}, FlexCredits},
		{"prompt_used_up_without_flex", []Meter{credits(PromptCredits, 10, 10)}, PromptCredits},
		{"flex_beside_unlimited_prompt", []Meter{state(PromptCredits, StateUnlimited), credits(FlexCredits, 10, 10)}, ""},
		{"flex_beside_unreadable_prompt", []Meter{state(PromptCredits, StateUnreadable), credits(FlexCredits, 10, 10)}, ""},
		{"flex_beside_rolled_over_prompt", []Meter{state(PromptCredits, StateRolledOver), credits(FlexCredits, 1, 10)}, ""},
		{"used_up_prompt_beside_unlimited_flex", []Meter{credits(PromptCredits, 10, 10), state(FlexCredits, StateUnlimited)}, ""},
		{"used_up_prompt_beside_unreadable_flex", []Meter{credits(PromptCredits, 10, 10), state(FlexCredits, StateUnreadable)}, ""},
		{"first_to_run_out", []Meter{paced(credits(DailyQuota, 9, 10), out(5)), paced(credits(WeeklyQuota, 1, 10), out(4))}, WeeklyQuota},
		{"running_out_at_a_moment_before_sometime", []Meter{paced(credits(DailyQuota, 9, 10), sometime), paced(credits(WeeklyQuota, 1, 10), out(5))}, WeeklyQuota},
		{"running_out_sometime_after_a_moment", []Meter{paced(credits(DailyQuota, 1, 10), out(5)), paced(credits(WeeklyQuota, 9, 10), sometime)}, DailyQuota},
		{"lowest_share_of_those_that_run_out_sometime", []Meter{paced(credits(DailyQuota, 1, 10), sometime), paced(credits(WeeklyQuota, 9, 10), sometime)}, WeeklyQuota},
		{"running_out_before_low", []Meter{paced(credits(DailyQuota, 9, 10), fine), paced(credits(WeeklyQuota, 1, 10), out(4))}, WeeklyQuota},
		{"running_out_before_tight", []Meter{paced(credits(DailyQuota, 9, 10), tight(40)), paced(credits(WeeklyQuota, 1, 10), out(4))}, WeeklyQuota},
		{"used_up_before_running_out", []Meter{back(credits(DailyQuota, 10, 10), 9), paced(credits(WeeklyQuota, 1, 10), out(4))}, DailyQuota},
		{"least_likely_of_tight", []Meter{paced(credits(DailyQuota, 9, 10), tight(60)), paced(credits(WeeklyQuota, 1, 10), tight(50))}, WeeklyQuota},
		{"lowest_share_of_tight_alike", []Meter{paced(credits(DailyQuota, 1, 10), tight(50)), paced(credits(WeeklyQuota, 9, 10), tight(50))}, WeeklyQuota},
		{"tight_before_low", []Meter{paced(credits(DailyQuota, 9, 10), fine), paced(credits(WeeklyQuota, 1, 10), tight(50))}, WeeklyQuota},
		{"tight_before_low_without_pace", []Meter{credits(DailyQuota, 9, 10), paced(credits(WeeklyQuota, 1, 10), tight(50))}, WeeklyQuota},
		{"trace_before_running_out", []Meter{
			paced(credits(DailyQuota, 1, 10), out(4)), paced(credits(WeeklyQuota, 9, 10), Pace{Verdict: VerdictUsedUp}),
		}, WeeklyQuota},
		{"flow_beside_prompt", []Meter{credits(PromptCredits, 1, 10), credits(FlowCredits, 5, 10)}, FlowCredits},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := Snapshot{Meters: tt.meters}.Binding()
			if got.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got.ID, ok, tt.want)
			}
		})
	}
}

func TestLowest(t *testing.T) {
	t.Parallel()
	quota := func(id MeterID, left int64) Meter {
		return Meter{ID: id, Unit: UnitPercent}.Of(Micros((100-left)*One), Micros(100*One))
	}
	runsOut := func(m Meter) Meter {
		m.Pace = &Pace{Verdict: VerdictRunsOut, RunsOutAt: noon}
		return m
	}
	tests := []struct {
		name   string
		meters []Meter
		want   MeterID
	}{
		{"none", nil, ""},
		{"not_the_one_that_runs_out_first", []Meter{quota(DailyQuota, 8), runsOut(quota(WeeklyQuota, 12))}, DailyQuota},
		{"not_the_one_that_runs_out_first_in_any_order", []Meter{runsOut(quota(DailyQuota, 12)), quota(WeeklyQuota, 8)}, WeeklyQuota},
		{"used_up", []Meter{quota(DailyQuota, 8), quota(WeeklyQuota, 0)}, WeeklyQuota},
		{"flow_beside_prompt", []Meter{quota(PromptCredits, 50), quota(FlexCredits, 1), quota(FlowCredits, 40)}, FlowCredits},
		{"used_up_prompt_and_flex_goes_on", []Meter{quota(PromptCredits, 0), quota(FlexCredits, 60)}, FlexCredits},
		{"used_up_prompt_and_flex_is_unlimited", []Meter{quota(PromptCredits, 0), Meter{ID: FlexCredits}.Without(StateUnlimited)}, ""},
		{"unknown_and_balance", []Meter{
			quota(DailyQuota, 50), Meter{ID: WeeklyQuota, Unit: UnitPercent}.Without(StateUnreadable),
			{ID: ExtraUsage, Unit: UnitUSD, State: StateOK, Remaining: Micros(-1)},
		}, DailyQuota},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := Snapshot{Meters: tt.meters}.Lowest()
			if got.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got.ID, ok, tt.want)
			}
		})
	}
}
