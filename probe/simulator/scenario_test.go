package simulator

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// TestScenarios compares each scenario's whole answer, but for the models, with
// testdata/<name>.json.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Config{Token: "t", At: testTime, Scenario: scenario.Name})
			got := call(t, s, "GetUserStatus", "t", keyed("k"))
			if scenario.Name != "signed_out" && !strings.Contains(got.Body, `"cascadeModelConfigData"`) {
				t.Error("no models")
			}
			text, err := json.MarshalIndent(got.withoutModels(t), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			probetest.Golden(t, scenario.Name+".json", append(text, '\n'))
		})
	}
}

// However long the server runs: no date that tells of an end lies in the past.
func TestDatesLieAhead(t *testing.T) {
	t.Parallel()
	for now := testTime; now.Before(testTime.Add(400 * day)); now = now.Add(7*time.Hour + 13*time.Second) {
		checkDates(t, now)
	}
	// So far a time-lapse gets in a few days.
	checkDates(t, testTime.AddDate(1000, 0, 0))
}

func checkDates(t *testing.T, now time.Time) {
	t.Helper()
	for _, scenario := range scenarios {
		plan := scenario.answer(clock{start: testTime, now: now}).GetUserStatus().GetPlanStatus()
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

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{Scenario: "riches"}, {Fault: "rust"}} {
		if s, err := New(cfg); err == nil {
			s.Close()
			t.Errorf("New(%+v) took it", cfg)
		}
	}
	s := start(t, Config{Token: "t", At: testTime})
	if s.Set("riches", FaultNone) == nil || s.Set("acu", "rust") == nil {
		t.Error("Set took an unknown name")
	}
	if err := s.Set("signed_out", FaultNone); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"code": "unknown", "message": "user status is nil"}
	if diff := cmp.Diff(want, call(t, s, "GetUserStatus", "t", keyed("k")).withoutModels(t)); diff != "" {
		t.Errorf("after Set (-want +got):\n%s", diff)
	}
}
