package e2e

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The history of the first edition, with the samples that its own command wrote.
const (
	firstEdition = "../testdata/first_edition/"
	firstPlan    = "windsurf:087e07"
)

// historyFault is a row of what can be wrong with the history's file. It is the first
// edition's, with 17 pages.
type historyFault struct {
	name   string
	damage func(t *testing.T, path string, content []byte) []byte
	// says is what the first command says on stderr that needs the file, and code its exit
	// code. reads is whether the samples are told.
	says  string
	code  int
	reads bool
	// stays says that the file is left as it is.
	stays bool
}

const movedAside = "windsock: The history could not be read. It lies in history-unreadable-DATE, beside a new one that begins now.\n"

var asideDate = regexp.MustCompile(`\d{8}-\d{6}`)

var historyFaults = []historyFault{
	{name: "first_edition", damage: func(_ *testing.T, _ string, c []byte) []byte { return c }, reads: true},
	{name: "empty", damage: func(*testing.T, string, []byte) []byte { return nil }},
	{name: "head", damage: overwritten(0), says: movedAside},
	{name: "schema", damage: overwritten(100), says: movedAside},
	{name: "middle", damage: overwritten(8 << 10), says: movedAside},
	{name: "truncated", damage: func(_ *testing.T, _ string, c []byte) []byte { return c[:len(c)/2+100] }, says: movedAside},
	{name: "directory", damage: func(t *testing.T, path string, _ []byte) []byte {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(path, "of somebody"), 0o700); err != nil {
			t.Fatal(err)
		}
		return nil
	}, says: movedAside},
	{name: "newer_edition", damage: func(_ *testing.T, _ string, c []byte) []byte {
		binary.BigEndian.PutUint32(c[60:], 99) // user_version
		return c
	}, says: "windsock: A newer Windsock wrote the history, so this one leaves it alone. Update Windsock.\n", code: 1, stays: true},
}

// overwritten overwrites six pages from a place on.
func overwritten(from int) func(*testing.T, string, []byte) []byte {
	return func(_ *testing.T, _ string, c []byte) []byte {
		for i := from; i < from+6<<10 && i < len(c); i++ {
			c[i] = 0xa5
		}
		return c
	}
}

// TestDiskHistories runs commands on histories that something has happened to. What can be
// read is told and goes on; what cannot is said once and kept as it is, and figures never
// suffer.
func TestDiskHistories(t *testing.T) {
	t.Parallel()
	samples, err := os.ReadFile(firstEdition + "samples.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range historyFaults {
		for _, first := range []string{"history --csv --since all", "status"} {
			t.Run(f.name+"_"+strings.Fields(first)[0], func(t *testing.T) {
				t.Parallel()
				f.test(t, first, string(samples))
			})
		}
	}
}

func (f historyFault) test(t *testing.T, first, samples string) {
	t.Helper()
	h := newHome(t)
	state := filepath.Join(h.home, ".local", "state", "windsock")
	path := filepath.Join(state, "history.db")
	content, err := os.ReadFile(firstEdition + "history.db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	content = f.damage(t, path, content)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code := f.code
	says := f.says
	if first == "status" && f.stays {
		says, code = "", 0 // figures need no history
	}
	stdout, stderr, got := h.run(t, first)
	if stderr = asideDate.ReplaceAllString(stderr, "DATE"); stderr != says || got != code {
		t.Errorf("windsock %s: exit code %d, %q, want %d, %q", first, got, stderr, code, says)
	}
	if first == "status" && !strings.Contains(stdout, "80 of 500 left") {
		t.Errorf("figures:\n%s", stdout)
	}
	h.says(t, told{"status", "", 0})
	rows := ""
	if !f.stays {
		rows = h.out(t, "history --csv --since all")
	}
	f.tells(t, rows, samples)
	f.isKept(t, state, content)
}

// tells checks that the samples of before and the new one are told, each once.
func (f historyFault) tells(t *testing.T, rows, samples string) {
	t.Helper()
	if f.stays {
		return
	}
	var want int
	for line := range strings.Lines(samples) {
		if row := strings.TrimSpace(line); !strings.HasPrefix(row, "at,") {
			want++
			if f.reads && !strings.Contains(rows, "\n"+row+","+firstPlan) {
				t.Errorf("%s is lost", row)
			}
		}
	}
	if now := strings.Count(rows, ",420,500,80,"); now != 1 {
		t.Errorf("the new sample is told %d times:\n%s", now, rows)
	}
	if all := strings.Count(rows, "\n") - 1; !f.reads && all != 1 || f.reads && all <= want {
		t.Errorf("%d samples:\n%s", all, rows)
	}
}

// isKept checks that what could not be read lies there as it was.
func (f historyFault) isKept(t *testing.T, state string, content []byte) {
	t.Helper()
	aside, err := filepath.Glob(filepath.Join(state, "history-unreadable-*", "history.db"))
	moved := f.says == movedAside
	if err != nil || moved != (len(aside) == 1) || len(aside) > 1 {
		t.Fatalf("aside: %q, %v", aside, err)
	}
	kept := filepath.Join(state, "history.db")
	if moved {
		kept = aside[0]
	} else if !f.stays {
		return
	}
	if info, err := os.Stat(kept); err == nil && info.IsDir() {
		return
	}
	if got, err := os.ReadFile(kept); err != nil || !slices.Equal(got, content) {
		t.Errorf("%d bytes, %v, of %d", len(got), err, len(content))
	}
}
