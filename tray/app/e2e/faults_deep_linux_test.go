package e2e

import (
	"strings"
	"testing"
)

// A server whose answers nest without end is reported, and ends nothing: no recover
// could stop a stack overflow.
func TestFaultsDeepAnswers(t *testing.T) {
	t.Parallel()
	deep := talkative{Body: `{"trajectorySummaries":` + strings.Repeat("[", 6<<20) + strings.Repeat("]", 6<<20) + `}`}
	for _, tt := range []struct{ method, command, says string }{
		{"GetUserStatus", "status", "gave an answer that cannot be used"},
		{"GetUnleashData", "status", "its language server does not answer"},
		{"GetAllCascadeTrajectories", "clean --dry-run", "gave an answer that cannot be used"},
	} {
		t.Run(tt.method, func(t *testing.T) {
			t.Parallel()
			p := plant(t)
			p.pids = []int{startTalkative(t, p.root, map[string]talkative{
				"GetUserStatus": {Body: plantedStatus(t, nil)}, tt.method: deep,
			})}
			p.settle(t)
			if said := p.run(t, 0, tt.command, false, false); !strings.Contains(said, tt.says) || strings.Contains(said, "goroutine") {
				t.Errorf("windsock %s: %.2000s", tt.command, said)
			}
		})
	}
}
