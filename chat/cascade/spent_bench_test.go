package cascade

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// longCascade is the client of a server whose cascade has that many steps, and is so
// long in bytes.
func longCascade(tb testing.TB, steps, size int) *Client {
	tb.Helper()
	content, err := json.Marshal(strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"open %q: %w\", name, err)\n\t}\n", size/steps/75))
	if err != nil {
		tb.Fatal(err)
	}
	return clientOf(tb, map[string]http.HandlerFunc{"GetCascadeTrajectorySteps": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		comma := `{"steps":[`
		for i := range steps {
			_, _ = fmt.Fprintf(w, `%s{"type":"CORTEX_STEP_TYPE_PLANNER_RESPONSE","status":"CORTEX_STEP_STATUS_DONE","metadata":{"createdAt":"2026-02-03T10:00:00Z","completedAt":"2026-02-03T10:00:05Z",`+
				`"modelUsage":{"inputTokens":"4123","outputTokens":"512","cacheReadTokens":"11217"},"promptCreditsUsed":50,"requestId":"%d","generatorModelUid":"claude-opus-4-7"},"plannerResponse":{"response":`, comma, i)
			_, _ = w.Write(content)
			_, _ = io.WriteString(w, `}}`)
			comma = `,`
		}
		_, _ = io.WriteString(w, `]}`)
	}})
}

// The content of steps takes no memory, however long a cascade is.
func TestSpentTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it counts all allocations
	const steps, size = 500, 40 << 20
	c := longCascade(t, steps, size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := c.Spent(t.Context(), "c-1", 0)
	runtime.ReadMemStats(&after)
	if err != nil || len(got) != steps {
		t.Fatalf("%d steps, %v", len(got), err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size/10 {
		t.Errorf("%d KB were allocated for %d KB", allocated>>10, size>>10)
	}
}

// BenchmarkSpent reads a cascade of 40 MB in 500 steps, with the server's part.
func BenchmarkSpent(b *testing.B) {
	const steps, size = 500, 40 << 20
	c := longCascade(b, steps, size)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if got, err := c.Spent(b.Context(), "c-1", 0); err != nil || len(got) != steps {
			b.Fatalf("%d steps, %v", len(got), err)
		}
	}
}
