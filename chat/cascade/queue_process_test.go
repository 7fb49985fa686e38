package cascade

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fillerVariable is set for the process that the test starts in the directory of
// a queue, and kills.
const fillerVariable = "WINDSOCK_TEST_FILL_QUEUE"

// TestQueueFiller is that process: it tells of each cascade that is in.
func TestQueueFiller(t *testing.T) {
	if os.Getenv(fillerVariable) == "" {
		t.Skip("started by TestQueueKilled")
	}
	q := NewQueue(".", time.Now)
	for i := range maxQueue {
		id := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		if err := q.Add(t.Context(), "windsurf", id); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("added " + id + "\n")
	}
}

// TestQueueKilled: whenever a process is killed, what it has put into the queue is
// in there, and others go on.
func TestQueueKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q := NewQueue(dir, time.Now)
	var added []string
	for round := range 12 {
		added = append(added, fillAndKill(t, dir, 1+5*round)...)
		in := map[string]bool{}
		for _, id := range q.ids(t) {
			in[id] = true
		}
		for _, id := range added {
			if !in[id] {
				t.Fatalf("round %d: %s is lost", round, id)
			}
		}
		// The one that was on its way may be in or not.
		if extra := len(in) - len(added); extra < 0 || extra > round+1 {
			t.Fatalf("round %d: %d of %d", round, len(in), len(added))
		}
	}
	if aside, _ := filepath.Glob(q.path() + "-unreadable-*"); len(aside) > 0 {
		t.Errorf("a file was torn: %v", aside)
	}
}

// fillAndKill starts a process that fills the queue, and kills it when it has
// told of so many cascades. It returns those that it has told of.
func fillAndKill(t *testing.T, dir string, after int) (added []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestQueueFiller$")
	cmd.Env, cmd.Dir = append(os.Environ(), fillerVariable+"=1"), dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "added "); ok {
			added = append(added, id)
		}
		if len(added) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process has ended by itself")
	}
	return added
}
