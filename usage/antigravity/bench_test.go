package antigravity

import (
	"testing"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/usage/usagetest"
)

// BenchmarkDecode reads an editor's answer with its list of models, and one of the app.
func BenchmarkDecode(b *testing.B) {
	for name, kind := range map[string]simulator.Antigravity{"GetUserStatus": simulator.AntigravityIDE, "RetrieveUserQuotaSummary": simulator.AntigravityApp} {
		raw, err := simtest.Answer(b.Context(), simulator.Config{Antigravity: kind, Scenario: "pro", At: usagetest.Noon}, name, "{}")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(raw, live(usagetest.Noon)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
