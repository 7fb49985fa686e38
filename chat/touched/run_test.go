package touched_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/touched"
	"windsock/probe/say"
)

// begin begins a run of clean.
func begin(t *testing.T, table *touched.Table, variant string, at time.Time) *touched.Run {
	t.Helper()
	run, err := table.Begin(t.Context(), variant, at)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// archive notes that cascades are archived.
func archive(t *testing.T, run *touched.Run, at time.Time, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := run.Archiving(t.Context(), id, at, at.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := run.Archived(t.Context(), id, at); err != nil {
			t.Fatal(err)
		}
	}
}

func end(t *testing.T, run *touched.Run, interrupted bool) {
	t.Helper()
	if err := run.End(t.Context(), interrupted); err != nil {
		t.Fatal(err)
	}
}

func lastOf(t *testing.T, table *touched.Table) touched.Last {
	t.Helper()
	last, err := table.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// A run is there to take back from its first cascade on, wherever it is killed, until
// another one archives something.
func TestLast(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	want := func(ids ...string) {
		t.Helper()
		if got := lastOf(t, table).IDs; !slices.Equal(got, ids) {
			t.Errorf("to undo %v, want %v", got, ids)
		}
	}
	want()
	run := begin(t, table, "windsurf", now)
	want()
	archive(t, run, now, "a")
	if err := run.Archiving(t.Context(), "b", now, now); err != nil {
		t.Fatal(err)
	}
	want("a", "b")
	if err := run.NotArchived(t.Context(), "b", now); err != nil {
		t.Fatal(err)
	}
	end(t, run, false)
	want("a")
	if last := lastOf(t, table); last.Variant != "windsurf" || !last.At.Equal(now) {
		t.Errorf("got %+v", last)
	}
	run = begin(t, table, "windsurf-next", now.Add(time.Hour))
	want("a")
	end(t, run, false)
	run = begin(t, table, "windsurf-next", now.Add(time.Hour))
	archive(t, run, now.Add(time.Hour), "c")
	end(t, run, false)
	want("c")

	undo, err := table.BeginUndo(t.Context(), lastOf(t, table), now.Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := undo.Restored(t.Context(), "c", now); err != nil {
		t.Fatal(err)
	}
	end(t, undo, false)
	want() // another undo does not undo the earlier run
}

func TestUndoOfAnotherRun(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	for i := range 2 {
		run := begin(t, table, "windsurf", now) // at the same moment
		archive(t, run, now, string(rune('a'+i)))
		last := lastOf(t, table)
		end(t, run, false)
		if i == 0 {
			continue
		}
		last.IDs = append(last.IDs, "c")
		if _, err := table.BeginUndo(t.Context(), last, now); !strings.HasPrefix(say.Sentence(err, ""), "Windsock has cleaned up again since") {
			t.Errorf("got %v", err)
		}
	}
	end(t, begin(t, table, "windsurf", now), false) // the refused undo blocks nothing
}

// One run at a time; one that was killed is in the way for moments only.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	begin(t, table, "windsurf", now)
	if _, err := table.Begin(t.Context(), "windsurf", now.Add(5*time.Second)); !strings.HasPrefix(say.Sentence(err, ""), "Another Windsock is cleaning up now.") {
		t.Errorf("got %v", err)
	}
	end(t, begin(t, table, "windsurf", now.Add(11*time.Second)), false)
	end(t, begin(t, table, "windsurf", now.Add(12*time.Second)), false)
}

// The run that this one continues is undone with it.
func TestRest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, variant string
		later         time.Duration
		ends, cut     bool // the earlier run
		want          []string
	}{
		{"interrupted", "windsurf", time.Hour, true, true, []string{"earlier", "later"}},
		{"killed", "windsurf", time.Hour, false, false, []string{"earlier", "later"}},
		{"ended", "windsurf", time.Hour, true, false, []string{"later"}},
		{"a_day_ago", "windsurf", 24 * time.Hour, true, true, []string{"later"}},
		{"of_another_editor", "windsurf-next", time.Hour, true, true, []string{"later"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table, _ := newTable(t)
			run := begin(t, table, "windsurf", now)
			archive(t, run, now, "earlier")
			if tt.ends {
				end(t, run, tt.cut)
			}
			later := now.Add(tt.later)
			end(t, begin(t, table, tt.variant, later), false) // which does nothing
			run = begin(t, table, tt.variant, later)
			archive(t, run, later, "later")
			end(t, run, false)
			if got := lastOf(t, table).IDs; !slices.Equal(got, tt.want) {
				t.Errorf("to undo %v, want %v", got, tt.want)
			}
		})
	}
}

// Acts are dropped when they are older than the last run by a year: a clock that is ahead
// drops none at once, and the undo stays.
func TestActs(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	run := begin(t, table, "windsurf", now)
	archive(t, run, now, "a")
	end(t, run, false)
	undo, err := table.BeginUndo(t.Context(), lastOf(t, table), now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	put := touched.Act{Begun: now.Add(time.Minute), Ended: now.Add(time.Minute)}
	if err := undo.Told(t.Context(), "a", put); err != nil {
		t.Fatal(err)
	}
	end(t, undo, false)
	acts, err := table.Acts(t.Context())
	want := map[string][]touched.Act{"a": {{Archived: true, Begun: now, Ended: now, Touched: now.Add(-time.Hour)}, put}}
	if diff := cmp.Diff(want, acts); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	year := now.Add(366 * 24 * time.Hour)
	run = begin(t, table, "windsurf", year)
	archive(t, run, year, "b")
	end(t, run, false)
	if acts, err := table.Acts(t.Context()); err != nil || len(acts["a"]) != 2 {
		t.Errorf("a year later: %v, %v", acts, err)
	}
	end(t, begin(t, table, "windsurf", year.Add(time.Hour)), false)
	if acts, err := table.Acts(t.Context()); err != nil || len(acts["a"]) != 0 || len(acts["b"]) != 1 {
		t.Errorf("at the next run: %v, %v", acts, err)
	}
}

// Nothing in the first edition's files is lost, whichever process reads them first,
// and they are read once.
func TestFirstEdition(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"archive-queue.json": `{"schema":1,"cascades":[{"variant":"windsurf","cascade_id":"w","at":"2026-02-01T10:00:00Z"},{"variant":"windsurf","cascade_id":"../x"}]}`,
		"clean-undo":         `{"schema":1,"variant":"windsurf","at":"2026-02-02T10:00:00Z"}` + "\na\nb\n",
		"clean-acts": `{"id":"a","archived":true,"begun":"2026-02-02T10:00:01Z","ended":"2026-02-02T10:00:02Z","touched":"2026-01-01T00:00:00Z"}` + "\n" +
			`{"id":"z","archived":false,"begun":"2026-02-02T11:00:01Z","ended":"2026-02-02T11:00:02Z"}` + "\n{",
		"archive-queue.lock": "", "clean.lock": "",
	}
	const killed = `{"schema":1,"variant":"windsurf-next","at":"2026-02-03T09:00:00Z","cut":true}` + "\nc\nd"
	for _, journal := range []string{"", killed, "{\"sche"} {
		t.Run(journal[:min(3, len(journal))], func(t *testing.T) {
			t.Parallel()
			table, dir := newTable(t)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want := touched.Last{Variant: "windsurf", At: now.Add(-24 * time.Hour), IDs: []string{"a", "b"}}
			if journal != "" {
				if err := os.WriteFile(filepath.Join(dir, "clean-undo.running"), []byte(journal), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if journal == killed {
				want = touched.Last{Variant: "windsurf-next", At: now.Add(-time.Hour), IDs: []string{"c"}}
			}
			last := lastOf(t, table)
			if last.Variant != want.Variant || !last.At.Equal(want.At) || !slices.Equal(last.IDs, want.IDs) {
				t.Errorf("to undo %+v, want %+v", last, want)
			}
			if ids := waiting(t, table); !slices.Equal(ids, []string{"w"}) {
				t.Errorf("waiting %v", ids)
			}
			if acts, err := table.Acts(t.Context()); err != nil || len(acts) != 2 || !acts["a"][0].Archived || acts["z"][0].Archived {
				t.Errorf("acts %v, %v", acts, err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 {
				t.Errorf("left %v, %v", left, err)
			}
			if journal == killed { // its rest is undone with it
				run := begin(t, table, "windsurf-next", now)
				archive(t, run, now, "e")
				if got := lastOf(t, table).IDs; !slices.Equal(got, []string{"c", "e"}) {
					t.Errorf("with its rest: %v", got)
				}
			}
		})
	}
}
