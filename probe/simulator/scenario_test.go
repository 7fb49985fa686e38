package simulator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/probe/simulator/account"
)

// TestScenarios compares each scenario's whole answer, but for the models, with
// testdata/<name>.json.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range account.Scenarios() {
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
