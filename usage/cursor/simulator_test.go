package cursor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator/account"
	"windsock/usage"
)

// The simulator's answers about a period mean what its scenarios say.
func TestSimulatedAnswers(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"individual": "quota; cursor_models percent ok used=23.05 of=100; other_models percent ok used=63.44 of=100",
		"free":       "quota; included percent ok used=35 of=100",
		"exhausted":  "quota; cursor_models percent exhausted used=104.5 of=100; other_models percent exhausted used=100 of=100",
		"on_demand": "quota; cursor_models percent ok used=41.25 of=100; other_models percent exhausted used=100 of=100; " +
			"on_demand usd ok used=17.85",
		"on_demand_capped": "quota; cursor_models percent ok used=12.5 of=100; other_models percent exhausted used=100 of=100; " +
			"on_demand usd ok used=40 of=50",
		"team":          "quota; cursor_models percent ok used=0.372857 of=100; other_models percent ok used=2.025 of=100; on_demand usd ok used=0 of=100",
		"team_sentinel": "quota; cursor_models percent ok used=8 of=100; other_models percent ok used=44 of=100",
		// Their figures are no period's.
		"requests":   "unknown",
		"signed_out": "unknown",
	}
	got := map[string]string{}
	for _, scenario := range account.CursorScenarios() {
		period := scenario.Period(account.Clock{Start: noon, Now: noon}, true)
		raw, err := json.Marshal(map[string]any{"GetCurrentPeriodUsage": period})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(raw, asked(noon))
		if (err == nil) != (len(s.Meters) > 0) {
			t.Errorf("%s: %v", scenario.Name, err)
		}
		for i, m := range s.Meters {
			if m.Window != s.Cycle || s.Cycle == (usage.Window{}) {
				t.Errorf("%s: %s is of %v", scenario.Name, m.ID, m.Window)
			}
			s.Meters[i].Window = usage.Window{}
		}
		s = usage.Snapshot{Billing: s.Billing, Meters: s.Meters}
		got[scenario.Name] = strings.Join(brief(s), "; ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
