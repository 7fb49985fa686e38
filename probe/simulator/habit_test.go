package simulator

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestHabitWork(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 2, 2, 8, 0, 0, 0, time.UTC)
	at := func(days, hour, minute int) time.Time {
		return monday.AddDate(0, 0, days).Add(time.Duration(hour-8)*time.Hour + time.Duration(minute)*time.Minute)
	}
	// Of a lapse's days, the first is one of 103 percent and not hot, the fifth
	// one of 88 percent, and hot where every sixth is.
	tests := []struct {
		name        string
		habit       habit
		from, until time.Time
		want        int64 // minutes of work times percent
	}{
		{"before_work", habit{}, at(0, 0, 0), at(0, 9, 0), 0},
		{"morning", habit{}, at(0, 9, 30), at(0, 10, 0), 30 * 103},
		{"over_lunch", habit{}, at(0, 11, 30), at(0, 13, 30), 60 * 103},
		{"whole_day", habit{}, at(0, 8, 0), at(0, 23, 0), 480 * 103},
		{"overnight", habit{}, at(0, 17, 0), at(1, 10, 0), 60*103 + 60*109},
		{"another_zone", habit{}, at(0, 9, 30).In(time.FixedZone("", 7200)), at(0, 10, 0), 30 * 103},
		{"weekend", habit{}, at(4, 18, 0), at(7, 9, 0), 0},
		{"works_at_weekends", habit{daily: true}, at(5, 9, 0), at(5, 10, 0), 60 * 99},
		{"own_hours", habit{hours: []span{{22, 24}}}, at(0, 8, 0), at(1, 8, 0), 120 * 103},
		{"cool_afternoon", habit{hotDays: 5}, at(0, 13, 0), at(0, 18, 0), 300 * 103},
		{"hot_afternoon", habit{hotDays: 6}, at(4, 13, 0), at(4, 18, 0), (120 + 3*180) * 88},
		{"idle_phase", habit{phases: []phase{{1, 0}, {1, 100}}}, at(0, 8, 0), at(1, 10, 0), 60 * 109},
		{"busy_phase", habit{phases: []phase{{1, 200}, {1, 0}}}, at(0, 9, 0), at(2, 9, 0), 480 * 206},
		{"phases_again", habit{phases: []phase{{1, 200}, {1, 0}}}, at(2, 9, 0), at(2, 10, 0), 60 * (2 * 81)},
		{"backwards", habit{}, at(0, 10, 0), at(0, 9, 0), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.habit.work(monday, tt.from, tt.until); got != tt.want*60 {
				t.Errorf("%v minutes, want %v", float64(got)/60, tt.want)
			}
		})
	}
}

// What is done until now and what is done from now on is what is done.
func TestHabitWorkAddsUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for name, h := range habits {
		for range 200 {
			var at [3]time.Time
			at[0] = testTime.Add(time.Duration(random.Int64N(int64(month))))
			at[1] = at[0].Add(time.Duration(random.Int64N(int64(3 * day))))
			at[2] = at[1].Add(time.Duration(random.Int64N(int64(month))))
			first, second, both := h.work(testTime, at[0], at[1]), h.work(testTime, at[1], at[2]), h.work(testTime, at[0], at[2])
			if first < 0 || second < 0 || first+second != both {
				t.Fatalf("%s: %d and %d are not %d, at %v", name, first, second, both, at)
			}
		}
	}
}

func TestHabitMoment(t *testing.T) {
	t.Parallel()
	h := habit{weekday: time.Thursday, hour: 8}
	thursday := time.Date(2026, 2, 5, 8, 0, 0, 0, time.UTC)
	tests := []struct {
		name      string
		now, want time.Time
	}{
		{"days_before", thursday.Add(-2*day - 5*time.Hour), thursday},
		{"the_same_day", thursday.Add(-time.Hour), thursday},
		{"exactly", thursday, thursday},
		{"just_after", thursday.Add(1), thursday.Add(week)},
		{"the_day_after", thursday.Add(day), thursday.Add(week)},
		{"another_zone", thursday.Add(-time.Hour).In(time.FixedZone("", 20*3600)), thursday},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := h.moment(tt.now); !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Each habit is somebody's, in whose lapse something happens; only of an account
// that cannot be used up, or is nobody's, there is none.
func TestHabitsAreOfScenarios(t *testing.T) {
	t.Parallel()
	missing := len(scenarios) - len(habits)
	for name, h := range habits {
		if _, err := scenarioNamed(name); err != nil {
			t.Error(err)
		}
		if h.perHour <= 0 {
			t.Errorf("%s does nothing", name)
		}
	}
	if missing != 2 {
		t.Errorf("%d scenarios without a habit, want unlimited and signed_out", missing)
	}
}
