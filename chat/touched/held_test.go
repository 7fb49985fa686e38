package touched_test

import (
	"bufio"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
)

// locks are the files of processes that keep cascades open.
func locks(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "open-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// What a process keeps open is Held for itself and for others, until it is given up.
func TestHold(t *testing.T) {
	t.Parallel()
	table, dir := newTable(t)
	other := touchedtest.New(t, dir, time.Now) // as another process has it
	add(t, table, "a", "b")
	check := func(when string, want ...touched.Waiting) {
		t.Helper()
		for i := range want {
			want[i].Variant, want[i].At = "windsurf", now
		}
		for name, one := range map[string]*touched.Table{"its own": table, "another": other} {
			got, err := one.Waiting(t.Context())
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v (-want +got):\n%s", when, name, err, diff)
			}
		}
	}
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check("at first", touched.Waiting{ID: "a", Prompts: 1}, touched.Waiting{ID: "b", Prompts: 1})
	step(table.Hold(t.Context(), "windsurf", "a", 1))
	step(table.Hold(t.Context(), "windsurf", "a", 2))
	step(table.Hold(t.Context(), "windsurf", "b", 1))
	check("held", touched.Waiting{ID: "a", Prompts: 2, Held: true}, touched.Waiting{ID: "b", Prompts: 1, Held: true})
	step(table.Release(t.Context(), "windsurf", "a"))
	check("one is released", touched.Waiting{ID: "a", Prompts: 2}, touched.Waiting{ID: "b", Prompts: 1, Held: true})
	step(table.Remove(t.Context(), "windsurf", "b"))
	check("one is archived", touched.Waiting{ID: "a", Prompts: 2})
	if n := locks(t, dir); n > 0 {
		t.Errorf("%d files are left", n)
	}
	step(table.Remove(t.Context(), "windsurf", "a"))
	add(t, table, "a")
	check("another of that name", touched.Waiting{ID: "a", Prompts: 1})
}

// holdVariable is set for the process that the test starts and kills.
const holdVariable = "WINDSOCK_TEST_HOLD"

// TestKeepOpen is that process.
func TestKeepOpen(t *testing.T) {
	if os.Getenv(holdVariable) == "" {
		t.Skip("started by TestHoldKilled")
	}
	table := touchedtest.New(t, ".", time.Now)
	add(t, table, "a")
	if err := table.Hold(t.Context(), "windsurf", "a", 3); err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("held\n")
	select {}
}

// What a killed process has kept open is held no more, and nothing of it is left.
func TestHoldKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestKeepOpen$")
	cmd.Env, cmd.Dir = append(os.Environ(), holdVariable+"=1"), dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "held"; {
	}
	table := touchedtest.New(t, dir, time.Now)
	look := func() (prompts int, held bool) {
		t.Helper()
		all, err := table.Waiting(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0].Prompts, all[0].Held
	}
	if prompts, held := look(); prompts != 3 || !held {
		t.Errorf("while it lives: %d prompts, held %v", prompts, held)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if prompts, held := look(); prompts != 3 || held {
		t.Errorf("after its end: %d prompts, held %v", prompts, held)
	}
	if n := locks(t, dir); n > 0 {
		t.Errorf("%d files are left", n)
	}
}

// A database of an earlier version knows no prompts.
func TestWaitingOfEarlierVersion(t *testing.T) {
	t.Parallel()
	table, dir := newTable(t)
	add(t, table, "a")
	db, err := sql.Open("sqlite", filepath.Join(dir, "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "DROP TABLE held"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := table.Waiting(t.Context())
	if diff := cmp.Diff([]touched.Waiting{{Variant: "windsurf", ID: "a", At: now, Prompts: 1}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := table.Hold(t.Context(), "windsurf", "a", 1); err != nil {
		t.Error(err)
	}
}
