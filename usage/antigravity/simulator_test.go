package antigravity

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
	"windsock/usage"
	"windsock/usage/usagetest"
)

// The simulator's answers mean what its scenarios say, from the app and from the
// editor, which has five-hour quotas only.
func TestSimulatedAnswers(t *testing.T) {
	t.Parallel()
	want := map[string][2]string{
		"pro": {
			": gemini_5h ok 61.9567, gemini_weekly ok 85.6594, third_party_5h not_started 100, third_party_weekly not_started 100",
			"Pro: gemini_5h ok 61.9567, third_party_5h not_started 100",
		},
		"fresh": {
			": gemini_5h not_started 100, gemini_weekly not_started 100, third_party_5h not_started 100, third_party_weekly not_started 100",
			"Ultra: gemini_5h not_started 100, third_party_5h not_started 100",
		},
		"tight": {
			": gemini_5h ok 4, gemini_weekly ok 18, third_party_5h ok 15, third_party_weekly ok 6",
			"Pro: gemini_5h ok 4, third_party_5h ok 15",
		},
		"exhausted": {
			": gemini_5h exhausted 0, gemini_weekly ok 81.8274, third_party_5h ok 50, third_party_weekly ok 70",
			"Pro: gemini_5h exhausted 0, third_party_5h ok 50",
		},
		"weekly_exhausted": {
			": gemini_5h not_started 100, gemini_weekly exhausted 0, third_party_5h not_started 100, third_party_weekly ok 70",
			"Pro: gemini_5h not_started 100, third_party_5h not_started 100",
		},
		"free": {": gemini_weekly ok 40, third_party_weekly not_started 100", usage.CodeNoUsageFields},
		"five_buckets": {
			": gemini_5h ok 62, gemini_weekly ok 85, third_party_5h ok 50, third_party_weekly ok 90, gemini-image-5h ok 10",
			"Pro: gemini_5h ok 62, third_party_5h ok 50",
		},
	}
	got := map[string][2]string{}
	for _, scenario := range account.AntigravityScenarios() {
		if !scenario.SignedIn() {
			continue
		}
		var told [2]string
		for i, kind := range []simulator.Antigravity{simulator.AntigravityApp, simulator.AntigravityIDE} {
			rpc := []string{"RetrieveUserQuotaSummary", "GetUserStatus"}[i]
			raw, err := simtest.Answer(t.Context(), simulator.Config{Antigravity: kind, Scenario: scenario.Name, At: usagetest.Noon}, rpc, "{}")
			if err != nil {
				t.Fatal(err)
			}
			s, err := Decode(raw, live(usagetest.Noon))
			if no, ok := errors.AsType[*say.Error](err); ok {
				told[i] = no.Code
				continue
			}
			if err != nil || len(s.Problems) != 0 {
				t.Fatal(scenario.Name, err, s.Problems)
			}
			var meters []string
			for _, m := range s.At(usagetest.Noon).Meters {
				meters = append(meters, fmt.Sprintf("%s %s %s", m.ID, m.State, m.Remaining))
			}
			told[i] = s.PlanName + ": " + strings.Join(meters, ", ")
		}
		got[scenario.Name] = told
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
