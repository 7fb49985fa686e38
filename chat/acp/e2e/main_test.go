package e2e

import (
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
)

// clientVariable is the variable with a rig's directory, for a test binary that is to be
// killed while it asks.
const clientVariable = "WINDSOCK_TEST_CLIENT"

// The test binary is the agent's program, too.
func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
	}
	if dir := os.Getenv(clientVariable); dir != "" {
		r := rigIn(dir)
		_, _ = r.engine().Ask(context.Background(), prompt, func(chat.Event) {})
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the test, if that does not kill it
		return
	}
	// Most tests wait for an agent's patience to end.
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// secretWords are words of the prompt that belong into no command line and no log.
const secretWords = "plum pudding"

var prompt = chat.Prompt{Text: "Say " + secretWords + "."}

// rig is an editor's directory with an agent in it, and Windsock's own.
type rig struct {
	dir, binary string
	profile     acp.Profile
	log         *probetest.Log
}

// newRig lays out an editor whose agent behaves so.
func newRig(tb testing.TB, b agent.Behaviour) *rig {
	tb.Helper()
	r := rigIn(tb.TempDir())
	if b.Tick == 0 {
		b.Tick = time.Millisecond
	}
	if _, err := simulator.InstallAgent("", filepath.Dir(r.binary), agent.Devin, b); err != nil {
		tb.Fatal(err)
	}
	return r
}

func rigIn(dir string) *rig {
	binary := filepath.Join(dir, "app", "extensions", "windsurf", "devin", "bin", agent.Devin)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	return &rig{dir: dir, profile: acp.Devin, log: &probetest.Log{}, binary: binary}
}

func (r *rig) engine() *acp.Engine {
	return acp.New(acp.EngineParts{
		Profile: r.profile, Dir: filepath.Join(r.dir, "state"), Version: "1.2.3", Queue: r.table(),
		Roots: func() []string { return []string{filepath.Join(r.dir, "app")} },
		Log:   slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
}

func (r *rig) table() *touched.Table {
	state := filepath.Join(r.dir, "state")
	return touched.New(&touchedtest.Room{Path: filepath.Join(state, "test.db")}, state, time.Now)
}

func (r *rig) behave(tb testing.TB, b agent.Behaviour) {
	tb.Helper()
	b.Tick = time.Millisecond
	if err := agent.Behave(r.binary, b); err != nil {
		tb.Fatal(err)
	}
}

// runs are what the agent has seen so far.
func (r *rig) runs(tb testing.TB) []agent.Run {
	tb.Helper()
	all, err := agent.Runs(r.binary)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// pids are all processes that there were, the agent's and what it has left behind.
func (r *rig) pids(tb testing.TB) (all []int) {
	tb.Helper()
	for _, run := range r.runs(tb) {
		all = append(append(all, run.PID), run.Children...)
	}
	return all
}

// places are the agents' directories.
func (r *rig) places(tb testing.TB) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Join(r.dir, "state", "agents"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// nothingRuns fails unless all processes have ended and their directories are removed.
func (r *rig) nothingRuns(tb testing.TB) {
	tb.Helper()
	probetest.Eventually(tb, "no process", func() bool { return !slices.ContainsFunc(r.pids(tb), running) })
	if names := r.places(tb); names != nil {
		tb.Errorf("directories left: %q", names)
	}
}

// nothingWaits fails if a session is left, in the agent or in the table of those that
// are still to be deleted.
func (r *rig) nothingWaits(tb testing.TB) {
	tb.Helper()
	waiting, err := r.table().Waiting(tb.Context())
	if err != nil || len(waiting) > 0 {
		tb.Errorf("sessions to be deleted: %v, %v", waiting, err)
	}
	sessions, err := agent.Sessions(r.binary)
	if err != nil || len(sessions) > 0 {
		tb.Errorf("sessions left: %v, %v", sessions, err)
	}
}

// codeOf is the code of a failure, or stopped.
func codeOf(err error) chat.Code {
	if errors.Is(err, context.Canceled) {
		return stopped
	}
	if f, ok := errors.AsType[*chat.Failure](err); ok {
		return f.Code
	}
	if err != nil {
		return chat.Code(err.Error())
	}
	return ""
}
