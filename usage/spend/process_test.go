package spend_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"windsock/usage/history"
	"windsock/usage/spend"
)

// readVariable is set for the processes that the test starts.
const readVariable = "WINDSOCK_TEST_READ_SPENDING"

const (
	processSeed  = 11
	processTurns = 40
)

// TestReadAsProcess is such a process: it reads after each turn of an editor's.
func TestReadAsProcess(t *testing.T) {
	if os.Getenv(readVariable) == "" {
		t.Skip("started by TestProcesses")
	}
	store := history.New(history.Config{Path: "history.db", Location: time.UTC})
	b := spend.New(spend.Config{Room: store, Salt: func(context.Context) ([]byte, error) { return nil, nil }, Location: time.UTC})
	e := newEditor(processSeed)
	for range processTurns {
		e.turn()
		read(t, b, reading(e))
		_, _ = os.Stdout.WriteString("read\n")
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// Processes that read the same at the same time, each with its own server and one of
// them killed, count it once.
func TestProcesses(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start := func() (*exec.Cmd, io.Reader) {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestReadAsProcess$")
		cmd.Env, cmd.Dir = append(os.Environ(), readVariable+"=1"), dir
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	killed, out := start()
	one, ofOne := start()
	other, ofOther := start()
	lines := bufio.NewScanner(out)
	for range 10 {
		if !lines.Scan() || lines.Text() != "read" {
			t.Fatal(lines.Text())
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	for cmd, out := range map[*exec.Cmd]io.Reader{one: ofOne, other: ofOther} {
		said, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
	}
	e, l := newEditor(processSeed), ledger{map[string]spend.Step{}, map[string]string{}}
	for range processTurns {
		e.turn()
		l.see(e.server)
	}
	store := history.New(history.Config{Path: filepath.Join(dir, "history.db"), Location: time.UTC})
	t.Cleanup(func() { _ = store.Close() })
	b := spend.New(spend.Config{
		Room: store, Salt: func(context.Context) ([]byte, error) { return nil, nil }, Location: time.UTC, Moved: noMeters,
	})
	equal(t, figures(t, b), l.figures())
}
