package account

import (
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
		{"none", Lapse{}, time.Hour, noon.Add(time.Hour)},
		{"before", Lapse{Start: noon, Speed: 100}, -time.Hour, noon.Add(-time.Hour)},
		{"start", Lapse{Start: noon, Speed: 100}, 0, noon},
		{"later", Lapse{Start: noon, Speed: 1440}, 1500 * time.Millisecond, noon.Add(36 * time.Minute)},
		{"part_of_a_second", Lapse{Start: noon.Add(time.Nanosecond), Speed: 0.5}, time.Second + time.Nanosecond, noon.Add(time.Second/2 + time.Nanosecond)},
		{"beyond_a_duration", Lapse{Start: noon, Speed: 3650}, 2 * year, noon.AddDate(0, 0, 3650*2*365)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.lapse.At(noon.Add(tt.at)); !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLapseNeverGoesBack(t *testing.T) {
	t.Parallel()
	l := Lapse{Start: noon.Add(123456789), Speed: 44640.123}
	last := l.Start
	for at := l.Start; at.Before(l.Start.Add(time.Millisecond)); at = at.Add(101) {
		got := l.At(at)
		if got.Before(last) {
			t.Fatalf("%v after %v", got, last)
		}
		last = got
	}
}

// Setting the system's clock must not make two processes differ.
func TestLapseGoesByTheWallClock(t *testing.T) {
	t.Parallel()
	if now := (Lapse{}).Now(); now != now.Round(0) {
		t.Errorf("%v has a monotonic part", now)
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
