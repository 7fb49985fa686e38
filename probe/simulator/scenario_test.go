package simulator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// TestScenarios compares a whole answer of each shape, without the models, with
// testdata/<name>.json.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"teams_credits", "quota_debt", "quota_plan_on_top", "acu", "free"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := start(t, Config{Token: "t", At: testTime, Scenario: scenario})
			got := call(t, s, "GetUserStatus", "t", keyed("k"))
			if !strings.Contains(got.Body, `"cascadeModelConfigData"`) {
				t.Error("no models")
			}
			text, err := json.MarshalIndent(got.withoutModels(t), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			probetest.Golden(t, scenario+".json", append(text, '\n'))
		})
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
