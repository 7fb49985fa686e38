package cascade_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/touched/touchedtest"
	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// An engine keeps to its server, finds the next one when that has gone, and asks no
// editor that may not be asked any more.
func TestEngineFindsAgain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{Key: "sk-ws-01-simulated"}); err != nil {
		t.Fatal(err)
	}
	var running *simulator.Process
	start := func() {
		running = simtest.Start(t, simulator.Options{IDEName: "windsurf", Token: simulator.TokenEnv})
	}
	start()
	may := probe.VariantsOf(probe.Windsurf)
	engine := cascade.New(cascade.EngineParts{
		Finder:   probe.NewFinder(probe.WithDirs(signin.Below(home)), probe.WithProcesses(func(pid int) bool { return slices.Contains(running.PIDs(), pid) })),
		Variants: func() ([]probe.Variant, error) { return may, nil },
		Queue:    touchedtest.New(t, t.TempDir(), time.Now), Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(engine.Close)
	list := func(when, want string) {
		t.Helper()
		if all, err := engine.Models(t.Context()); say.Code(err) != want || err == nil && len(all.Models) == 0 {
			t.Errorf("%s: %d models, %v", when, len(all.Models), err)
		}
	}
	list("at first", "")
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	list("while nothing runs", "not_running")
	start()
	list("after a restart", "")
	answer, err := engine.Ask(t.Context(), chat.Prompt{Text: "turn:echo", Model: "claude-opus-4-7-medium"}, func(chat.Event) {})
	if err != nil || answer.Text != "turn:echo" || !answer.Sent || !answer.Archived() {
		t.Errorf("%+v, %v", answer, err)
	}
	may = may[1:2] // windsurf-next
	list("where only another editor may be asked", "not_running")
}
