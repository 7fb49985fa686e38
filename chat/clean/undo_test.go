package clean

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/clean/cleantest"
	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
	pb "windsock/probe/languageserver"
	"windsock/probe/say"
)

// cleaned is a cleaner that has archived a dozen.
func cleaned(t *testing.T, codeium string, servers ...*cleantest.Server) (*Cleaner, touched.Last) {
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

func lastClean(t *testing.T, c *Cleaner) touched.Last {
	t.Helper()
	last, err := ReadLast(t.Context(), c.table)
	if err != nil || len(last.IDs) == 0 {
		t.Fatalf("no last run: %v", err)
	}
	return last
}

func TestUndo(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c, last := cleaned(t, "", s)
	if last.Variant != "windsurf" || !last.At.Equal(cleantest.Now) || len(last.IDs) != 10 {
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
	if last, err := ReadLast(t.Context(), c.table); len(last.IDs) > 0 || err != nil {
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

// TestUndoEverywhere: every server that has a cascade archived gets the request; if
// none has, the server that archived it has ended.
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

// TestNotedBefore: a cascade can be taken back from before it is archived.
func TestNotedBefore(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c := newTestCleaner(t, "", s)
	s.Meanwhile = func(_ context.Context, id string) {
		if !slices.Contains(lastIDs(t, c), id) { //nolint:contextcheck // the test's own
			t.Errorf("%s is not noted", id)
		}
	}
	if _, err := c.Run(t.Context(), planned(t, c, everything), nil); err != nil {
		t.Fatal(err)
	}
}

// TestNotNoted: an act that cannot be recorded is not done, and the person learns why.
func TestNotNoted(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	room := &touchedtest.Room{Path: filepath.Join(t.TempDir(), "test.db")}
	c := New(testTarget("", s), touched.New(room, t.TempDir(), time.Now), time.Now)
	plan := planned(t, c, everything)
	room.WriteErr = &say.Error{What: "The disk is full."}
	_, err := c.Run(t.Context(), plan, nil)
	const want = "Windsock could not note what clean does, which an undo needs. The disk is full."
	for _, err := range []error{err, c.Ready(t.Context())} {
		if told := say.Sentence(err, ""); told != want || !errors.Is(err, room.WriteErr) {
			t.Errorf("got %q: %v", told, err)
		}
	}
	if len(s.Calls) > 0 {
		t.Errorf("archived %v", s.Calls)
	}
}
