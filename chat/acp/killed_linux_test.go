package acp

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
)

// killedVariable is set for the Windsock that is killed.
const killedVariable = "WINDSOCK_TEST_KILLED"

// TestKilledWindsock is that Windsock: it tells when its agent has begun to answer.
func TestKilledWindsock(t *testing.T) {
	if os.Getenv(killedVariable) == "" {
		t.Skip("started by TestKilled")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(actVariable, "hangs")
	e := New(EngineParts{
		Profile: Custom([]string{self}, []string{actVariable}), Dir: ".", Version: "1.2.3", Log: slog.New(slog.DiscardHandler),
		Queue: touchedtest.New(t, "state", time.Now),
	})
	_, _ = e.Ask(t.Context(), hello, func(chat.Event) { _, _ = fmt.Fprintln(os.Stdout, "begun") })
}

// TestKilled: after a prompt whose Windsock was killed, the next one leaves no program,
// no directory and no session.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	windsock := exec.CommandContext(t.Context(), self, "-test.run=^TestKilledWindsock$")
	windsock.Env, windsock.Dir = append(os.Environ(), killedVariable+"=1"), dir
	out, err := windsock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := windsock.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "begun"; {
	}
	table := touchedtest.New(t, filepath.Join(dir, "state"), time.Now)
	waiting := func() (ids []string) {
		list, err := table.Waiting(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			ids = append(ids, w.Variant+" "+w.ID)
		}
		return ids
	}
	if ids := waiting(); len(ids) != 1 || ids[0] != touched.AgentPrefix+"custom s" {
		t.Fatalf("noted %q", ids)
	}
	places, _ := os.ReadDir(filepath.Join(dir, "agents"))
	mark := ""
	for _, p := range places {
		if p.IsDir() {
			mark = p.Name()
		}
	}
	if runningIn(t, mark) != 2 { // the agent, and what it has started
		t.Fatalf("%d programs run in %q", runningIn(t, mark), mark)
	}
	if err := windsock.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = windsock.Wait()

	t.Setenv(actVariable, "tells")
	r := &realRig{queue: &queue{}, dir: dir}
	r.Engine = New(EngineParts{
		Profile: Custom([]string{self}, []string{actVariable}), Dir: dir, Version: "1.2.3", Queue: table, Log: slog.New(slog.DiscardHandler),
	})
	if _, err := r.Ask(t.Context(), hello, func(chat.Event) {}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.empty(t)
	if ids := waiting(); ids != nil {
		t.Errorf("still noted %q", ids)
	}
	for deadline := time.Now().Add(10 * time.Second); runningIn(t, mark) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d programs run", runningIn(t, mark))
		}
	}
}

// runningIn counts the programs with that word in their environment.
func runningIn(t *testing.T, mark string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil || mark == "" {
		t.Fatalf("%q, %v", mark, err)
	}
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil && strings.Contains(string(environ), mark) {
			n++
		}
	}
	return n
}
