package touched_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
)

var now = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

func newTable(t *testing.T) (table *touched.Table, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	return touchedtest.New(t, dir, func() time.Time { return now }), dir
}

// add notes cascades of windsurf.
func add(t *testing.T, table *touched.Table, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := table.Add(t.Context(), "windsurf", id); err != nil {
			t.Fatal(err)
		}
	}
}

func waiting(t *testing.T, table *touched.Table) (ids []string) {
	t.Helper()
	all, err := table.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	return ids
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	table, dir := newTable(t)
	if ids := waiting(t, table); ids != nil {
		t.Errorf("at first: %v", ids)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("who reads made the directory: %v", err)
	}
	add(t, table, "b", "a", "b")
	if err := table.Add(t.Context(), "windsurf-next", "b"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"b", "unknown"} {
		if err := table.Remove(t.Context(), "windsurf", id); err != nil {
			t.Fatal(err)
		}
	}
	got, err := table.Waiting(t.Context())
	want := []touched.Waiting{{Variant: "windsurf", ID: "a", At: now, Prompts: 1}, {Variant: "windsurf-next", ID: "b", At: now, Prompts: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	for _, c := range [][2]string{{"", "a"}, {"windsurf", ""}, {"windsurf", "../a"}, {"windsurf", "a\nb"}, {strings.Repeat("v", 65), "a"}} {
		if err := table.Add(t.Context(), c[0], c[1]); err == nil {
			t.Errorf("%q: no error", c)
		}
	}
}

func TestAtOnce(t *testing.T) {
	t.Parallel()
	table, dir := newTable(t)
	var want []string
	var wg sync.WaitGroup
	for i := range 40 {
		id := fmt.Sprintf("c%02d", i)
		if i%2 == 0 {
			want = append(want, id)
		}
		wg.Go(func() {
			other := touchedtest.New(t, dir, time.Now) // as another process has it
			if err := other.Add(t.Context(), "windsurf", id); err != nil {
				t.Error(err)
			}
			if i%2 == 1 {
				if err := other.Remove(t.Context(), "windsurf", id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := waiting(t, table)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fillVariable is set for the process that the test starts and kills.
const fillVariable = "WINDSOCK_TEST_FILL_TABLE"

// TestFill is that process: it tells of each cascade that is noted.
func TestFill(t *testing.T) {
	if os.Getenv(fillVariable) == "" {
		t.Skip("started by TestKilled")
	}
	table := touchedtest.New(t, ".", time.Now)
	for i := range 1000 {
		id := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		add(t, table, id)
		_, _ = os.Stdout.WriteString("added " + id + "\n")
	}
}

// TestKilled: whenever a process is killed, its notes are kept, and other processes
// continue.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var added []string
	for round := range 6 {
		added = append(added, fillAndKill(t, dir, 1+5*round)...)
		in := waiting(t, touchedtest.New(t, dir, time.Now))
		for _, id := range added {
			if !slices.Contains(in, id) {
				t.Fatalf("round %d: %s is lost", round, id)
			}
		}
		// The one that was on its way may be in or not.
		if extra := len(in) - len(added); extra < 0 || extra > round+1 {
			t.Fatalf("round %d: %d of %d", round, len(in), len(added))
		}
	}
}

// fillAndKill starts a process that fills the table, and kills it after it has
// reported n cascades. It returns those.
func fillAndKill(t *testing.T, dir string, after int) (added []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestFill$")
	cmd.Env, cmd.Dir = append(os.Environ(), fillVariable+"=1"), dir
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
