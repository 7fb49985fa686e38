package windsurf

import (
	"bytes"
	"testing"

	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
	"windsock/usage/usagetest"
)

// In every scenario, the saved answer has the same plan as the server's answer, without
// the account.
func TestAnonymizeScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range account.Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			raw := simulated(t, simulator.Config{Scenario: scenario.Name, Token: "t", At: usagetest.Noon})
			saved := saver.Save(t, raw)
			for _, personal := range []string{"Robin", "robin@", "example", "00112233", "Penguin"} {
				if bytes.Contains(saved, []byte(personal)) {
					t.Errorf("%q is still in it", personal)
				}
			}
		})
	}
}

// simulated is the body of a server's answer.
func simulated(t *testing.T, c simulator.Config) []byte {
	t.Helper()
	raw, err := simtest.Answer(t.Context(), c, "GetUserStatus", `{"metadata":{"apiKey":"k"}}`)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
