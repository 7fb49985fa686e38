package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
	"windsock/probe/simulator/simtest"
)

// TestAgentOfAKilledAsk: a windsock that was killed in the middle of an agent's answer
// leaves to the next prompt what it could not end, and that leaves nothing. The agent is
// the one beside the server that runs; it gets no key, and no text on its command line.
func TestAgentOfAKilledAsk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	server := simtest.Start(t, simulator.Options{
		Root: filepath.Join(d.dir, "root"), Home: filepath.Join(d.dir, "home"), App: simulator.DesktopApp(), IDEName: "windsurf",
		Config: simulator.Config{Cascade: simulator.Cascade{Retired: simulator.RetiredUnimplemented}},
		Agent: &agent.Behaviour{
			Turn: "hangs", Tick: time.Millisecond, Faults: []agent.Fault{agent.Deaf, agent.LeavesChild, agent.LeavesStray},
		},
	})
	pid := server.PIDs()[0]
	replaceFile(t, filepath.Join(d.dir, "pids"), fmt.Sprint(pid))
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	binary := simulator.AgentPath(exe)
	runs := func() []agent.Run {
		all, err := agent.Runs(binary)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}

	const words = "plum pudding"
	ask := []string{"ask", "--engine", "devin", "--yes", "Say " + words + "."}
	cmd, out := d.command(ask...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var run agent.Run
	waitFor(t, "a prompt to the agent", func() bool {
		for _, run = range runs() {
			if slices.Contains(run.Methods, "session/prompt") {
				return true
			}
		}
		return false
	})
	for _, file := range []string{"environ", "cmdline"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", run.PID, file))
		if err != nil || bytes.Contains(text, []byte(deskKey)) || bytes.Contains(text, []byte(words)) {
			t.Errorf("%s of the agent: %q, %v", file, text, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if len(run.Children) != 2 {
		t.Fatalf("it has left %v; windsock wrote %q", run.Children, out)
	}

	if err := agent.Behave(binary, agent.Behaviour{Turn: "echo", Tick: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if code, out := d.run(ask...); code != 0 || !strings.Contains(out, words) {
		t.Errorf("exit code %d: %s", code, out)
	}
	waitFor(t, "the end of all programs", func() bool {
		for _, run := range runs() {
			for _, pid := range append(run.Children, run.PID) {
				stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				if err == nil && !bytes.Contains(stat, []byte(") Z ")) {
					return false
				}
			}
		}
		return true
	})
	if all, err := waiting(t.Context(), d.state("")); err != nil || len(all) > 0 {
		t.Errorf("sessions to be deleted: %v, %v", all, err)
	}
	if ids, err := agent.Sessions(binary); err != nil || len(ids) > 0 {
		t.Errorf("sessions: %q, %v", ids, err)
	}
	entries, err := os.ReadDir(d.state("agents"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("directory left: %s", e.Name())
		}
	}
	for _, run := range runs() {
		if run.Wrong != nil {
			t.Errorf("violations: %q", run.Wrong)
		}
	}
}
