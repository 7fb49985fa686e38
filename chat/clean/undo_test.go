package clean

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/clean/cleantest"
	pb "windsock/probe/languageserver"
	"windsock/probe/say"
)

// cleaned is a cleaner that has archived a dozen.
func cleaned(t *testing.T, codeium string, servers ...*cleantest.Server) (*Cleaner, LastRun) {
	t.Helper()
	c := newTestCleaner(t, codeium, servers...)
	if _, err := c.Run(t.Context(), planned(t, c, everything), nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		s.Calls = nil
	}
	return c, lastClean(t, c)
}

func lastClean(t *testing.T, c *Cleaner) LastRun {
	t.Helper()
	last, ok, err := ReadLast(c.stateDir)
	if err != nil || !ok {
		t.Fatalf("no last run: %t, %v", ok, err)
	}
	return last
}

func TestUndo(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, "", s)
	if want := (LastRun{"windsurf", cleantest.Now, 10}); last != want {
		t.Errorf("last run: got %+v", last)
	}
	var told int
	got, err := c.Undo(t.Context(), last, func(done, _ int) { told = done })
	if diff := cmp.Diff(UndoResult{Restored: cleantest.DozenIDs}, got); err != nil || diff != "" || told != 10 {
		t.Errorf("%v, told %d (-want +got):\n%s", err, told, diff)
	}
	if again := planned(t, c, everything); len(again.Items) != 10 {
		t.Errorf("afterwards: %+v", again)
	}
	if last, ok, err := ReadLast(c.stateDir); ok || err != nil {
		t.Errorf("still to undo: %+v, %v", last, err)
	}
}

func TestUndoKeepsFailures(t *testing.T) {
	t.Parallel()
	codeium := t.TempDir()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, codeium, s)
	s.Refuse = map[string]error{"c2": cleantest.ErrRefused}
	delete(s.Cascades, "c0")
	delete(s.Cascades, "c1")
	cleantest.WriteCascade(t, codeium, "c1", 1, cleantest.DaysAgo(1)) // the server has not heard of it
	got, err := c.Undo(t.Context(), last, nil)
	want := UndoResult{
		Restored: []string{"c1", "c3", "c4", "c5", "c6", "c7", "c8", "c9"},
		Gone:     []string{"c0"},
		Failed:   []Failure{{"c2", "28 days old", "The server said no."}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s.Refuse = nil
	got, err = c.Undo(t.Context(), lastClean(t, c), nil)
	if diff := cmp.Diff(UndoResult{Restored: []string{"c2"}}, got); err != nil || diff != "" {
		t.Errorf("second undo: %v (-want +got):\n%s", err, diff)
	}
}

// TestUndoEverywhere: every server that has a cascade archived is told; where
// none says so, the one that archived it has ended.
func TestUndoEverywhere(t *testing.T) {
	t.Parallel()
	a := &cleantest.Server{Cascades: cleanListing{"x": cleantest.Touched(30), "y": cleantest.Touched(20), "z": cleantest.Touched(10)}}
	b := &cleantest.Server{Cascades: cleanListing{"x": cleantest.Touched(30), "y": cleantest.Touched(20)}}
	c, last := cleaned(t, "", a, b)
	a.Set("y", func(s *pb.CascadeTrajectorySummary) { s.IsArchived = false }) // as it was before
	b.Set("x", cleantest.Archived)
	a.Set("z", cleantest.Archived)
	b.Cascades["z"] = cleantest.Touched(9) // opened in the other window since
	if _, err := c.Undo(t.Context(), last, nil); err != nil {
		t.Fatal(err)
	}
	slices.Sort(a.Calls)
	if diff := cmp.Diff([][]string{{"x false", "y false", "z false"}, {"x false"}}, [][]string{a.Calls, b.Calls}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUndoUnsupported(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, "", s)
	s.NoArchive = true
	got, err := c.Undo(t.Context(), last, nil)
	if failure, ok := errors.AsType[*chat.Failure](err); !ok || failure.Code != chat.NoArchive || got.Restored != nil || got.Failed != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(cleantest.DozenIDs, lastIDs(t, c)); diff != "" {
		t.Errorf("to undo (-want +got):\n%s", diff)
	}
}

func TestUndoInterrupted(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, "", s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := c.Undo(ctx, last, nil); !errors.Is(err, context.Canceled) || got.Restored != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(cleantest.DozenIDs, lastIDs(t, c)); diff != "" {
		t.Errorf("to undo (-want +got):\n%s", diff)
	}
}

func TestUndoOfAnotherRun(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, "", s)
	last.At = last.At.Add(-time.Hour)
	if _, err := c.Undo(t.Context(), last, nil); err == nil || len(s.Calls) > 0 {
		t.Errorf("got %v, told %v", err, s.Calls)
	}
}

// TestRecord: what is kept is the ids, and nothing that is personal.
func TestRecord(t *testing.T) {
	t.Parallel()
	c, _ := cleaned(t, "", &cleantest.Server{Cascades: cleanListing{"b": cleantest.Touched(20), "a": cleantest.Touched(30)}})
	path := filepath.Join(c.stateDir, recordName)
	text, err := os.ReadFile(path)
	want := `{"schema":1,"variant":"windsurf","at":"2026-02-03T10:00:00Z"}` + "\na\nb\n"
	if diff := cmp.Diff(want, string(text)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

// TestRecordOfKilledRun: what was written down before the end can be undone.
func TestRecordOfKilledRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, journal string
		want          []string
	}{
		{"some", "{\"schema\":1,\"variant\":\"windsurf\",\"at\":\"2026-02-03T10:00:00Z\"}\nc1\nc2\n", []string{"c1", "c2"}},
		{"cut_off", "{\"schema\":1,\"variant\":\"windsurf\",\"at\":\"2026-02-03T10:00:00Z\"}\nc1\nc2", []string{"c1"}},
		{"none", "{\"schema\":1,\"variant\":\"windsurf\",\"at\":\"2026-02-03T10:00:00Z\"}\n", cleantest.DozenIDs},
		{"head_cut_off", "{\"schema\":1,", cleantest.DozenIDs},
		{"empty", "", cleantest.DozenIDs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := cleaned(t, "", &cleantest.Server{Cascades: cleantest.Dozen()})
			if err := os.WriteFile(filepath.Join(c.stateDir, journalName), []byte(tt.journal), 0o600); err != nil {
				t.Fatal(err)
			}
			if last := lastClean(t, c); last.Count != len(tt.want) {
				t.Errorf("who looks finds %+v", last)
			}
			for range 2 {
				if diff := cmp.Diff(tt.want, lastIDs(t, c)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestRunJournal: an id is written down before its cascade is archived.
func TestRunJournal(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c := newTestCleaner(t, "", s)
	s.Meanwhile = func(_ context.Context, id string) {
		text, err := os.ReadFile(filepath.Join(c.stateDir, journalName))
		if err != nil || !strings.Contains(string(text), "\n"+id+"\n") {
			t.Errorf("%s: journal has %q, %v", id, text, err)
		}
	}
	if _, err := c.Run(t.Context(), planned(t, c, everything), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.stateDir, journalName)); !isGone(err) {
		t.Errorf("the journal is still there: %v", err)
	}
}

func TestRecordUnreadable(t *testing.T) {
	t.Parallel()
	c, _ := cleaned(t, "", &cleantest.Server{Cascades: cleantest.Dozen()})
	if err := os.WriteFile(filepath.Join(c.stateDir, recordName), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if last, ok, err := ReadLast(c.stateDir); ok || err != nil {
		t.Errorf("got %+v, %v", last, err)
	}
	if err := c.Ready(); err != nil {
		t.Error(err)
	}
	aside, err := filepath.Glob(filepath.Join(c.stateDir, recordName+"-unreadable-*"))
	if len(aside) != 1 || err != nil {
		t.Errorf("aside: %v, %v", aside, err)
	}
}

// TestLookAtLastClean: who looks for an undo finds it beside a run, and leaves all as it is.
func TestLookAtLastClean(t *testing.T) {
	t.Parallel()
	const head = `{"schema":1,"variant":"windsurf","at":"2026-02-03T10:00:00Z"}` + "\n"
	one := LastRun{"windsurf", cleantest.Now, 1}
	tests := []struct {
		name  string
		files map[string]string
		want  LastRun
	}{
		{"nothing", map[string]string{}, LastRun{}},
		{"ended", map[string]string{recordName: head + "a\n"}, one},
		{"under_way", map[string]string{recordName: head + "a\nb\n", journalName: head + "c\n"}, one},
		{"about_to_begin", map[string]string{recordName: head + "a\n", journalName: head}, one},
		{"nonsense", map[string]string{recordName: "nonsense\n", journalName: "nonsense"}, LastRun{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newTestCleaner(t, "")
			records, err := openRecords(c.stateDir) // the run
			if err != nil {
				t.Fatal(err)
			}
			defer records.close()
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(c.stateDir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := filesIn(t, c.stateDir)
			if last, ok, err := ReadLast(c.stateDir); err != nil || ok != (last.Count > 0) || last != tt.want {
				t.Errorf("got %+v, %t, %v", last, ok, err)
			}
			if diff := cmp.Diff(before, filesIn(t, c.stateDir)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// filesIn are the files of a directory, with what is in them.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte("{\"schema\":1,\"variant\":\"windsurf\",\"at\":\"2026-02-03T10:00:00Z\"}\na\nb\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		record, err := parseRecord(text)
		if err != nil {
			return
		}
		again, err := parseRecord(record.text())
		if err != nil || !slices.Equal(again.IDs, record.IDs) || again.Variant != record.Variant {
			t.Errorf("%+v becomes %+v, %v", record, again, err)
		}
	})
}

// TestStateOfNoUse: a person is told what to do, and nothing of the path.
func TestStateOfNoUse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"denied", fs.ErrPermission, "Change the permissions of that directory, and try again."},
		{"read_only", syscall.EROFS, "Change the permissions of that directory, and try again."},
		{"full", syscall.ENOSPC, "The disk is full, so what clean does could not be noted for an undo. Make some room, and try again."},
		{"broken", syscall.EIO, "Its disk may be full or damaged."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := recordError("open record", &fs.PathError{Op: "open", Path: "/home/ada/x", Err: tt.err})
			told := say.Sentence(err, "")
			if !strings.HasSuffix(told, tt.want) || strings.Contains(told+err.Error(), "ada") || !errors.Is(err, tt.err) {
				t.Errorf("got %q: %v", told, err)
			}
		})
	}
}
