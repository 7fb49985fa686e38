package simulator

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLapseAt(t *testing.T) {
	t.Parallel()
	const year = 365 * day
	tests := []struct {
		name  string
		lapse Lapse
		at    time.Duration
		want  time.Time
	}{
		{"none", Lapse{}, time.Hour, testTime.Add(time.Hour)},
		{"before", Lapse{Start: testTime, Speed: 100}, -time.Hour, testTime.Add(-time.Hour)},
		{"start", Lapse{Start: testTime, Speed: 100}, 0, testTime},
		{"later", Lapse{Start: testTime, Speed: 1440}, 1500 * time.Millisecond, testTime.Add(36 * time.Minute)},
		{"part_of_a_second", Lapse{Start: testTime.Add(time.Nanosecond), Speed: 0.5}, time.Second + time.Nanosecond, testTime.Add(time.Second/2 + time.Nanosecond)},
		{"beyond_a_duration", Lapse{Start: testTime, Speed: 3650}, 2 * year, testTime.AddDate(0, 0, 3650*2*365)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.lapse.At(testTime.Add(tt.at)); !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLapseNeverGoesBack(t *testing.T) {
	t.Parallel()
	l := Lapse{Start: testTime.Add(123456789), Speed: 44640.123}
	last := l.Start
	for at := l.Start; at.Before(l.Start.Add(time.Millisecond)); at = at.Add(101) {
		got := l.At(at)
		if got.Before(last) {
			t.Fatalf("%v after %v", got, last)
		}
		last = got
	}
}

// A clock that was set must not come between two processes.
func TestLapseGoesByTheWallClock(t *testing.T) {
	t.Parallel()
	if now := (Lapse{}).Now(); now != now.Round(0) {
		t.Errorf("%v has a monotonic part", now)
	}
}

func TestLapseValidate(t *testing.T) {
	t.Parallel()
	for _, l := range []Lapse{{Start: testTime}, {Speed: 2}, {Start: testTime, Speed: -1}, {Start: testTime, Speed: math.Inf(1)}, {Start: testTime, Speed: math.NaN()}} {
		if s, err := New(Config{Lapse: l}); err == nil {
			s.Close()
			t.Errorf("took %+v", l)
		}
	}
}

func TestScenarioSpeed(t *testing.T) {
	t.Parallel()
	got := map[float64]string{}
	for _, s := range Scenarios() {
		got[s.Speed()] += " " + s.Name
	}
	want := map[float64]string{
		44640: " teams_credits pro_low pro_near_end exhausted unlimited acu signed_out",
		10080: " quota_weekly_exhausted quota_hidden_daily",
		1440:  " quota_fresh quota_tight quota_debt quota_plan_on_top free",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// On the wire, too: late on the second day the quota is used up and hence not
// sent, and the dates have moved on.
func TestLapseOnTheWire(t *testing.T) {
	t.Parallel()
	began := testTime.Add(-100 * day)
	s := start(t, Config{
		Token: "t", Scenario: "quota_fresh", Now: func() time.Time { return began.Add(time.Hour) },
		Lapse: Lapse{Start: began, Speed: 46}, // the first reset was after 23 hours
	})
	answer := call(t, s, "GetUserStatus", "t", keyed("k")).withoutModels(t)
	plan := answer["userStatus"].(map[string]any)["planStatus"].(map[string]any)
	delete(plan, "planInfo")
	want := map[string]any{
		"planStart": began.Add(-12 * day).Format(time.RFC3339), "planEnd": began.Add(19 * day).Format(time.RFC3339),
		"availablePromptCredits": -1.0, "availableFlowCredits": -1.0, "availableFlexCredits": -1.0,
		"gracePeriodStatus":           "GRACE_PERIOD_STATUS_NONE",
		"weeklyQuotaRemainingPercent": 60.0,
		"dailyQuotaResetAtUnix":       unix(began.Add(47 * time.Hour)),
		"weeklyQuotaResetAtUnix":      unix(began.Add(164 * time.Hour)),
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("plan status (-want +got):\n%s", diff)
	}
}

func unix(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
