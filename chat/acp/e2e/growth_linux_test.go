package e2e

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"windsock/chat"
	"windsock/probe/probetest"
	"windsock/probe/simulator/agent"
)

// TestNothingGrows: prompts that end in every way leave neither open files nor
// goroutines behind in Windsock itself.
func TestNothingGrows(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes what was forgotten, now and then
	r := newRig(t, agent.Behaviour{})
	e := r.engine()
	round := func() {
		for _, b := range []agent.Behaviour{
			{Turn: "echo"}, // kept, and asked once more
			{Turn: "echo"},
			{Turn: "crashes"},
			{Turn: "half_line"},
			{Turn: "acts"},
			{Turn: "hangs"},
			{Turn: "long_line"},
			{Faults: []agent.Fault{agent.NewProtocol}},
			{Faults: []agent.Fault{agent.HangsSession}},
			{Turn: "crashes", Faults: []agent.Fault{agent.LeavesChild, agent.LeavesStray}}, // which hold its output open
		} {
			r.behave(t, b)
			if b.Turn != "echo" {
				e.Close() // the next one behaves so
				e = r.engine()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _ = e.Ask(ctx, prompt, func(chat.Event) {}) // TestFaults looks at what comes of it
			cancel()
		}
		e.Close()
		e = r.engine()
	}
	round() // what is opened once and stays, such as the runtime's poller
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	round()
	probetest.Eventually(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= goroutines })
	probetest.Eventually(t, "as many open files as before", func() bool { return openFiles(t) <= files })
	r.nothingRuns(t)
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
