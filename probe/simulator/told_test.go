package simulator

import (
	"strings"
	"testing"
)

// A process tells the figures that it has answered with, each once, and no error.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		c                    Config
		method, body, figure string
	}{
		{"windsurf", Config{}, "GetUserStatus", `{"metadata":{"apiKey":"key"}}`, `"usedPromptCredits":4700`},
		{"antigravity", Config{Antigravity: AntigravityApp}, "RetrieveUserQuotaSummary", "{}", `"remainingFraction":0.619567`},
		{"antigravity_status", Config{Antigravity: AntigravityApp}, "GetUserStatus", "{}", `"remainingFraction":0.619567`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.c.Tells = true
			p := launch(t, Options{RunChild: tt.c.Antigravity == "", Config: tt.c})
			for _, token := range []string{"wrong", p.Ready().Token} {
				ask(t, p, tt.method, token, tt.body)
			}
			p.Calls() // what was told came before them
			told := p.Told()
			if len(told) != 1 || told[0].At.IsZero() || len(told[0].Answer) > 20_000 ||
				!strings.Contains(strings.ReplaceAll(string(told[0].Answer), " ", ""), tt.figure) {
				t.Errorf("told %s", told)
			}
			if again := p.Told(); len(again) > 0 {
				t.Errorf("told again: %s", again)
			}
		})
	}
}
