package usage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// quotaOf is a meter of Antigravity with that much left and a reset so many hours after
// noon; -1 is none.
func quotaOf(id MeterID, left int64, hours int, length time.Duration) Meter {
	m := NewMeter(id, Window{})
	if hours >= 0 {
		m.Window.End = noon.Add(time.Duration(hours) * time.Hour)
		m.Window.Start = m.Window.End.Add(-length)
	}
	return m.Of(Micros((100-left)*One), Micros(100*One))
}

const hours5, week = 5 * time.Hour, 7 * 24 * time.Hour

// Windows that begin with their first use, and a bucket that the table lacks.
func TestBindingOfPools(t *testing.T) {
	t.Parallel()
	unknown := Meter{ID: "image-5h", Name: "Image", Unit: UnitPercent}.Of(Micros(100*One), Micros(100*One))
	paced := quotaOf(GeminiWeekly, 60, 24, week)
	paced.Pace = &Pace{Verdict: VerdictRunsOut, RunsOutAt: noon.Add(time.Hour)}
	tests := []struct {
		name   string
		meters []Meter
		want   MeterID
	}{
		{"of_equals_the_later_reset", []Meter{quotaOf(Gemini5h, 50, 4, hours5), quotaOf(GeminiWeekly, 50, 90, week), quotaOf(ThirdParty5h, 50, 3, hours5)}, GeminiWeekly},
		{"of_equals_without_a_reset", []Meter{quotaOf(Gemini5h, 50, 4, hours5), quotaOf(ThirdParty5h, 50, -1, hours5)}, ThirdParty5h},
		{"of_equals_with_one_reset_the_longer_window", []Meter{quotaOf(Gemini5h, 50, 4, hours5), quotaOf(GeminiWeekly, 50, 4, week)}, GeminiWeekly},
		{"of_used_up_with_one_reset_the_longer_window", []Meter{quotaOf(Gemini5h, 0, 4, hours5), quotaOf(GeminiWeekly, 0, 4, week)}, GeminiWeekly},
		{"of_used_up_the_later_reset", []Meter{quotaOf(GeminiWeekly, 0, 90, week), quotaOf(ThirdParty5h, 0, 4, hours5)}, GeminiWeekly},
		{"of_equals_the_first", []Meter{quotaOf(Gemini5h, 50, 4, hours5), quotaOf(ThirdParty5h, 50, 4, hours5)}, Gemini5h},
		{"lowest_before_running_out", []Meter{quotaOf(Gemini5h, 14, 4, hours5), paced}, Gemini5h},
		{"unknown_never_binds", []Meter{quotaOf(Gemini5h, 50, 4, hours5), unknown}, Gemini5h},
		{"unknown_alone_never_binds", []Meter{unknown}, ""},
		{"not_started_never_binds", []Meter{quotaOf(Gemini5h, 100, 5, hours5)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewSnapshot(Snapshot{Source: Source{FetchedAt: noon}, Meters: tt.meters}, Facts{})
			got, ok := s.At(noon).Binding()
			if got.ID != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got.ID, ok, tt.want)
			}
		})
	}
	if back := (Snapshot{Meters: []Meter{unknown}}).Back(); !back.IsZero() {
		t.Errorf("it comes back %v", back)
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	unused := quotaOf(Gemini5h, 100, 5, hours5)
	waits := unused
	waits.State, waits.Window = StateNotStarted, Window{}
	unknown, daily := unused, unused
	unknown.ID, unknown.Name = "image-5h", "Image"
	daily.ID = DailyQuota
	type times struct{ fetched, at time.Time }
	tests := []struct {
		name  string
		meter Meter
		times times
		want  State
	}{
		{"fetched_now", unused, times{noon, noon}, StateNotStarted},
		{"clocks_differ_a_little", unused, times{noon.Add(10 * time.Minute), noon}, StateNotStarted},
		{"clocks_differ_the_other_way", unused, times{noon.Add(-10 * time.Minute), noon}, StateNotStarted},
		{"begun", unused, times{noon.Add(11 * time.Minute), noon}, StateOK},
		{"as_answered_however_old", unused, times{noon, noon.Add(99 * time.Hour)}, StateNotStarted},
		{"without_a_time_as_of_now", unused, times{at: noon}, StateNotStarted},
		{"without_a_time_later", unused, times{at: noon.Add(time.Hour)}, StateOK},
		{"without_a_time_after_the_reset", unused, times{at: noon.Add(5 * time.Hour)}, StateRolledOver},
		{"used", quotaOf(Gemini5h, 99, 5, hours5), times{noon, noon}, StateOK},
		{"no_reset", quotaOf(Gemini5h, 100, -1, hours5), times{noon, noon}, StateOK},
		{"unknown_bucket", unknown, times{noon, noon}, StateNotStarted},
		{"a_window_that_begins_by_the_clock", daily, times{noon, noon}, StateOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewSnapshot(Snapshot{Source: Source{FetchedAt: tt.times.fetched}, Meters: []Meter{tt.meter}}, Facts{})
			// Twice, from there and back.
			for _, at := range []time.Time{tt.times.at, tt.times.at.Add(-99 * time.Hour), tt.times.at} {
				s = s.At(at)
			}
			if got := s.Meters[0]; got.State != tt.want {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
	s := NewSnapshot(Snapshot{Source: Source{FetchedAt: noon}, Meters: []Meter{unused}}, Facts{})
	if diff := cmp.Diff(waits, s.Meters[0]); diff != "" {
		t.Errorf("before At (-want +got):\n%s", diff)
	}
}

func TestUntouched(t *testing.T) {
	t.Parallel()
	unused, used := quotaOf(Gemini5h, 100, 5, hours5), quotaOf(ThirdParty5h, 50, 4, hours5)
	unknown := used
	unknown.Name = "Image"
	for _, tt := range []struct {
		name   string
		meters []Meter
		want   bool
	}{
		{"all", []Meter{unused, quotaOf(ThirdParty5h, 100, 5, hours5)}, true},
		{"all_but_an_unknown_one", []Meter{unused, unknown}, true},
		{"one_is_used", []Meter{unused, used}, false},
		{"one_is_not_readable", []Meter{unused, used.Without(StateUnreadable)}, false},
		{"unknown_alone", []Meter{unknown}, false},
		{"none", nil, false},
	} {
		s := NewSnapshot(Snapshot{Source: Source{FetchedAt: noon}, Meters: tt.meters}, Facts{})
		if got := s.At(noon).Untouched(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestPlanPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    Snapshot
		want string
	}{
		{Snapshot{}, "https://windsurf.com/subscription/manage-plan"},
		{Snapshot{Plan: Plan{Product: Windsurf}, Billing: BillingACU}, "https://app.devin.ai/settings/usage"},
		{Snapshot{Plan: Plan{Product: Antigravity}, Billing: BillingQuota}, ""},
		{Snapshot{Plan: Plan{Product: Cursor}, Billing: BillingQuota}, "https://cursor.com/dashboard"},
	} {
		if got := tt.s.PlanPage(); got != tt.want {
			t.Errorf("the page of %+v is %q, want %q", tt.s.Plan, got, tt.want)
		}
	}
}
