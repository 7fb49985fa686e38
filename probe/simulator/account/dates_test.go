package account

import (
	"testing"
	"time"
)

// However long the Clock runs, no date of an end is in the past.
func TestDatesLieAhead(t *testing.T) {
	t.Parallel()
	for now := noon; now.Before(noon.Add(400 * day)); now = now.Add(7*time.Hour + 13*time.Second) {
		checkDates(t, now)
	}
	// A time-lapse gets that far in a few days.
	checkDates(t, noon.AddDate(1000, 0, 0))
}

func checkDates(t *testing.T, now time.Time) {
	t.Helper()
	for _, scenario := range scenarios {
		plan := scenario.Answer(Clock{Start: noon, Now: now}, "").GetUserStatus().GetPlanStatus()
		for name, end := range map[string]time.Time{
			"cycle":  plan.GetPlanEnd().AsTime(),
			"grace":  plan.GetGracePeriodEnd().AsTime(),
			"daily":  time.Unix(plan.GetDailyQuotaResetAtUnix(), 0),
			"weekly": time.Unix(plan.GetWeeklyQuotaResetAtUnix(), 0),
		} {
			if end.Unix() != 0 && !end.After(now) {
				t.Fatalf("%s: %s of %v at %v", scenario.Name, name, end, now)
			}
		}
		if begin := plan.GetPlanStart().AsTime(); begin.After(now) {
			t.Fatalf("%s: cycle begins at %v, after %v", scenario.Name, begin, now)
		}
	}
}
