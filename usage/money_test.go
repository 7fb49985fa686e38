package usage

import "testing"

// Money pays only while something that gives way to it is used up.
func TestPayer(t *testing.T) {
	t.Parallel()
	at := func(id MeterID, used int64) Meter { return NewMeter(id, Window{}).Of(Micros(used), Micros(10)) }
	in := func(m Meter, u Unit) Meter {
		m.Unit = u
		return m
	}
	balance := func(micros int64) Meter { return Meter{ID: ExtraUsage, State: StateOK, Remaining: Micros(micros)} }
	tests := []struct {
		name   string
		meters []Meter
		want   MeterID
	}{
		{"nothing", nil, ""},
		{"quota_is_left", []Meter{at(DailyQuota, 9), balance(5)}, ""},
		{"quota_is_used_up", []Meter{at(DailyQuota, 10), at(WeeklyQuota, 1), balance(5)}, ExtraUsage},
		{"without_a_balance", []Meter{at(DailyQuota, 10), balance(0)}, ""},
		{"in_debt", []Meter{at(DailyQuota, 10), balance(-1)}, ""},
		{"credits_give_way_to_flex", []Meter{at(PromptCredits, 10), balance(5)}, ""},
		{"pool_is_left", []Meter{at(OtherModels, 9), at(OnDemand, 5)}, ""},
		{"pool_is_used_up", []Meter{at(CursorModels, 1), at(OtherModels, 10), at(OnDemand, 5)}, OnDemand},
		{"requests_are_used_up", []Meter{at(Requests, 10), at(OnDemand, 0)}, OnDemand},
		{"dollars_are_used_up", []Meter{in(at(Included, 10), UnitUSD), at(OnDemand, 0)}, OnDemand},
		{"without_a_limit", []Meter{at(OtherModels, 10), {ID: OnDemand, State: StateOK, Used: Micros(1)}}, OnDemand},
		{"the_limit_is_reached", []Meter{at(OtherModels, 10), at(OnDemand, 10)}, ""},
		{"the_limit_alone", []Meter{at(OnDemand, 10)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if m, ok := (Snapshot{Meters: tt.meters}).Payer(); m.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("%q, %v, want %q", m.ID, ok, tt.want)
			}
		})
	}
}
