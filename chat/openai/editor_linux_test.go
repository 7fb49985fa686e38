package openai

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"windsock/chat/cascade"
	"windsock/chat/touched/touchedtest"
	"windsock/probe"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// editor is a server process and a signed-in account.
type editor struct {
	*simulator.Process

	finder *probe.Finder
	queue  cascade.Queue
}

func startEditor(tb testing.TB, config simulator.Config) *editor {
	tb.Helper()
	home := tb.TempDir()
	if err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{Key: "sk-ws-01-simulated"}); err != nil {
		tb.Fatal(err)
	}
	p := simtest.Start(tb, simulator.Options{IDEName: "windsurf", Token: simulator.TokenEnv, Config: config})
	return &editor{
		Process: p, queue: touchedtest.New(tb, tb.TempDir(), time.Now),
		finder: probe.NewFinder(probe.WithDirs(signin.Below(home)), probe.WithProcesses(func(pid int) bool { return slices.Contains(p.PIDs(), pid) })),
	}
}

// engine asks the editor.
func (e *editor) engine(tb testing.TB) *cascade.Engine {
	tb.Helper()
	engine := cascade.New(cascade.EngineParts{
		Finder: e.finder, Variants: func() ([]probe.Variant, error) { return probe.VariantsOf(probe.Windsurf), nil },
		Queue: e.queue, Log: slog.New(slog.DiscardHandler),
	})
	tb.Cleanup(engine.Close)
	return engine
}

// behind puts the editor behind the local API.
func (e *editor) behind(tb testing.TB) func(*Options) {
	tb.Helper()
	return func(o *Options) { o.Chat = behind(e.engine(tb), "", nil) }
}

// prompts are the prompts that the server received, in order.
func (e *editor) prompts() []string {
	var all []string
	for _, c := range e.Calls() {
		if c.RPC == "SendUserCascadeMessage" {
			all = append(all, c.Prompt)
		}
	}
	return all
}

// left are the cascades that were started and not archived, and most is how many
// there were at once.
func (e *editor) left() (left []string, most int) {
	for _, c := range e.Calls() {
		switch c.RPC {
		case "SendUserCascadeMessage":
			left = append(left, c.CascadeID)
			most = max(most, len(left))
		case "ArchiveCascadeTrajectory":
			left = slices.DeleteFunc(left, func(id string) bool { return id == c.CascadeID && c.Archived })
		}
	}
	return left, most
}

// nothingWrong fails if a cascade is left, or the server was asked for what no editor
// asks.
func (e *editor) nothingWrong(t *testing.T) {
	t.Helper()
	if left, _ := e.left(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if bad := e.Violations(); len(bad) > 0 {
		t.Errorf("violations %q", bad)
	}
}
