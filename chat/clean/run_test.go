package clean

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/chat"
	"windsock/chat/clean/cleantest"
	pb "windsock/probe/languageserver"
	"windsock/probe/say"
)

// planned plans, and fails the test where that fails.
func planned(t *testing.T, c *Cleaner, rules Rules) Plan {
	t.Helper()
	plan, err := c.Plan(t.Context(), rules)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// lastIDs is what an undo would take back.
func lastIDs(t *testing.T, c *Cleaner) []string {
	t.Helper()
	last, err := ReadLast(t.Context(), c.table)
	if err != nil {
		t.Error(err)
	}
	return last.IDs
}

func TestRun(t *testing.T) {
	t.Parallel()
	codeium := t.TempDir()
	for i, id := range cleantest.DozenIDs {
		cleantest.WriteCascade(t, codeium, id, 1000, cleantest.DaysAgo(30-i))
	}
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	s.Meanwhile = func(_ context.Context, id string) {
		switch id {
		case "c0": // grows
			cleantest.WriteCascade(t, codeium, id, 1100, cleantest.Now)
		case "c1":
			_ = os.Remove(filepath.Join(codeium, "cascade", "c1.pb"))
		default:
			cleantest.WriteCascade(t, codeium, id, 10, cleantest.Now)
		}
	}
	c := newTestCleaner(t, codeium, s)
	var told []int
	got, err := c.Run(t.Context(), planned(t, c, everything), func(done, total int) {
		told = append(told, done)
		if total != 10 {
			t.Errorf("total %d", total)
		}
	})
	want := Result{Archived: cleantest.DozenIDs, BytesFreed: -100 + 1000 + 8*990, BytesKnown: true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(cleantest.DozenIDs, lastIDs(t, c)); diff != "" {
		t.Errorf("to undo (-want +got):\n%s", diff)
	}
	if s.Lists != 2 {
		t.Errorf("listed %d times", s.Lists)
	}
	if again := planned(t, c, everything); len(again.Items) != 0 || again.Kept.Archived != 10 {
		t.Errorf("afterwards: %+v", again)
	}
}

func TestRunFourAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &cleantest.Server{Cascades: cleantest.Dozen(), Meanwhile: func(context.Context, string) { time.Sleep(time.Second) }}
		c := newTestCleaner(t, "", s)
		begun := time.Now()
		got, err := c.Run(t.Context(), planned(t, c, everything), nil)
		if err != nil || len(got.Archived) != 10 || got.BytesKnown {
			t.Errorf("got %+v, %v", got, err)
		}
		if took := time.Since(begun); s.Most != 4 || took != 3*time.Second {
			t.Errorf("%d at once, took %v", s.Most, took)
		}
	})
}

func TestRunFailures(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen(), Refuse: map[string]error{
		"c3": cleantest.ErrRefused,
		"c5": fmt.Errorf("call ArchiveCascadeTrajectory: %w", context.DeadlineExceeded),
		"c6": &chat.Failure{Code: chat.ServerGone, App: "Windsurf"},
	}}
	c := newTestCleaner(t, t.TempDir(), s)
	got, err := c.Run(t.Context(), planned(t, c, everything), nil)
	want := Result{
		Archived: []string{"c0", "c1", "c2", "c4", "c7", "c8", "c9"},
		Failed: []Failure{
			{"c3", "27 days old", "The server said no."},
			{"c5", "25 days old", "The server did not answer in time."},
			{"c6", "24 days old", "The language server of Windsurf ended before the answer did. Check that Windsurf runs, then ask again."},
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"c0", "c1", "c2", "c4", "c5", "c7", "c8", "c9"}, lastIDs(t, c)); diff != "" {
		t.Errorf("to undo (-want +got):\n%s", diff)
	}
}

// TestRunChanged: between the plan and the run, a person had time to think.
func TestRunChanged(t *testing.T) {
	t.Parallel()
	codeium := t.TempDir()
	s, other := &cleantest.Server{Cascades: cleantest.Dozen()}, &cleantest.Server{Cascades: cleanListing{}}
	c := newTestCleaner(t, codeium, s, other)
	plan := planned(t, c, everything)
	s.Set("c0", cleantest.Running)
	s.Set("c1", cleantest.Archived)
	s.Set("c2", cleantest.Hidden)
	s.Set("c3", func(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = timestamppb.New(cleantest.Now) })
	delete(s.Cascades, "c4")
	other.Cascades["c5"] = cleantest.Touched(90, cleantest.Running)
	cleantest.WriteCascade(t, codeium, "c6", 1, cleantest.Now)
	got, err := c.Run(t.Context(), plan, nil)
	want := Result{Archived: []string{"c7", "c8", "c9"}, Changed: 7}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	slices.Sort(s.Calls)
	if diff := cmp.Diff([]string{"c7 true", "c8 true", "c9 true"}, s.Calls); diff != "" || len(other.Calls) > 0 {
		t.Errorf("other %v (-want +got):\n%s", other.Calls, diff)
	}
}

func TestRunFreshestServer(t *testing.T) {
	t.Parallel()
	old := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(30), "b": cleantest.Touched(30)}}
	fresh := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(20), "b": cleantest.Touched(30)}}
	c := newTestCleaner(t, "", old, fresh)
	if _, err := c.Run(t.Context(), planned(t, c, everything), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"b true"}, {"a true"}}, [][]string{old.Calls, fresh.Calls}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunUnsupported(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen(), NoArchive: true}
	c := newTestCleaner(t, "", s)
	got, err := c.Run(t.Context(), planned(t, c, everything), nil)
	failure, ok := errors.AsType[*chat.Failure](err)
	if !ok || failure.Code != chat.NoArchive {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(Result{BytesKnown: true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Calls) > archiveAtOnce {
		t.Errorf("asked %d times", len(s.Calls))
	}
	if ids := lastIDs(t, c); ids != nil {
		t.Errorf("to undo: %v", ids)
	}
}

// TestRunMixedVersions: one of the servers is too old to archive.
func TestRunMixedVersions(t *testing.T) {
	t.Parallel()
	old := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(30), "b": cleantest.Touched(30)}, NoArchive: true}
	current := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(30), "b": cleantest.Touched(20)}}
	c := newTestCleaner(t, "", old, current)
	got, err := c.Run(t.Context(), planned(t, c, everything), nil)
	if diff := cmp.Diff(Result{Archived: []string{"a", "b"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestRunPartlyUnsupported: what only the old one knows is named, the rest goes on.
func TestRunPartlyUnsupported(t *testing.T) {
	t.Parallel()
	old := &cleantest.Server{Cascades: cleanListing{}, NoArchive: true}
	current := &cleantest.Server{Cascades: cleanListing{"y": cleantest.Touched(20), "z": cleantest.Touched(19)}}
	want := Result{Archived: []string{"y", "z"}}
	for i, id := range cleantest.DozenIDs {
		old.Cascades[id] = cleantest.Touched(40 - i)
		want.Failed = append(want.Failed, Failure{id, fmt.Sprintf("%d days old", 40-i), "The server cannot archive."})
	}
	c := newTestCleaner(t, "", old, current)
	got, err := c.Run(t.Context(), planned(t, c, everything), nil)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if len(old.Calls) > archiveAtOnce {
		t.Errorf("the old one was asked %d times", len(old.Calls))
	}
}

func TestRunFilesOnly(t *testing.T) {
	t.Parallel()
	codeium := t.TempDir()
	cleantest.WriteCascade(t, codeium, "old", 100, cleantest.DaysAgo(30))
	cleantest.WriteCascade(t, codeium, "new", 100, cleantest.DaysAgo(0))
	s := &cleantest.Server{NoList: true}
	c := newTestCleaner(t, codeium, s)
	plan := planned(t, c, everything)
	want := Plan{
		Rules: everything, At: cleantest.Now, FilesOnly: true,
		Items: []Item{{CascadeID: "old", Title: "untitled", LastTouched: cleantest.DaysAgo(30), Bytes: 100, BytesKnown: true}},
		Kept:  Kept{Recent: 1},
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err := c.Run(t.Context(), plan, nil)
	if diff := cmp.Diff(Result{Archived: []string{"old"}, BytesKnown: true}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if again := planned(t, c, everything); len(again.Items) != 0 || again.Kept.Archived != 1 {
		t.Errorf("afterwards: %+v", again)
	}
}

func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int32
		s := &cleantest.Server{Cascades: cleantest.Dozen()}
		s.Meanwhile = func(context.Context, string) {
			if begun.Add(1) == archiveAtOnce {
				cancel()
			}
			time.Sleep(time.Second) // the call goes on
		}
		c := newTestCleaner(t, "", s)
		plan := planned(t, c, everything)
		got, err := c.Run(ctx, plan, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff(Result{Archived: cleantest.DozenIDs[:4]}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(cleantest.DozenIDs[:4], lastIDs(t, c)); diff != "" {
			t.Errorf("to undo (-want +got):\n%s", diff)
		}
		rest, err := c.Run(t.Context(), planned(t, c, everything), nil)
		if diff := cmp.Diff(Result{Archived: cleantest.DozenIDs[4:]}, rest); err != nil || diff != "" {
			t.Errorf("second run: %v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(cleantest.DozenIDs, lastIDs(t, c)); diff != "" {
			t.Errorf("to undo after both (-want +got):\n%s", diff)
		}
	})
}

// TestRunInterruptedAtItsEnd: if all cascades had begun, all are archived, and nothing
// was interrupted.
func TestRunInterruptedAtItsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(30), "b": cleantest.Touched(20)}}
	s.Meanwhile = func(_ context.Context, id string) {
		if id == "b" {
			cancel()
		}
	}
	c := newTestCleaner(t, "", s)
	plan := planned(t, c, everything)
	plan.Items = plan.Items[1:] // b is the last one
	got, err := c.Run(ctx, plan, nil)
	if diff := cmp.Diff(Result{Archived: []string{"b"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s.Meanwhile = nil
	if _, err := c.Run(t.Context(), planned(t, c, everything), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, lastIDs(t, c)); diff != "" {
		t.Errorf("the next run to undo (-want +got):\n%s", diff)
	}
}

// TestRunHangs: a server that does not answer holds a run up for so long only.
func TestRunHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &cleantest.Server{Cascades: cleanListing{"a": cleantest.Touched(30)}, Meanwhile: func(ctx context.Context, _ string) { <-ctx.Done() }}
		c := newTestCleaner(t, "", s)
		begun := time.Now()
		got, err := c.Run(t.Context(), planned(t, c, everything), nil)
		want := Result{Failed: []Failure{{"a", "30 days old", "The server did not answer in time."}}, BytesKnown: true}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if took := time.Since(begun); took != ArchiveLimit {
			t.Errorf("took %v", took)
		}
	})
}

// TestListFails: a cascade might run in the server that does not answer.
func TestListFails(t *testing.T) {
	t.Parallel()
	good, bad := &cleantest.Server{Cascades: cleantest.Dozen()}, &cleantest.Server{ListErr: cleantest.ErrRefused}
	c := newTestCleaner(t, "", good, bad)
	if _, err := c.Plan(t.Context(), everything); !errors.Is(err, cleantest.ErrRefused) {
		t.Errorf("plan: got %v", err)
	}
	bad.ListErr = nil
	plan := planned(t, c, everything)
	bad.ListErr = cleantest.ErrRefused
	if _, err := c.Run(t.Context(), plan, nil); !errors.Is(err, cleantest.ErrRefused) || len(good.Calls) > 0 {
		t.Errorf("run: got %v, archived %v", err, good.Calls)
	}
}

func TestRunBesideAnother(t *testing.T) {
	t.Parallel()
	s := &cleantest.Server{Cascades: cleantest.Dozen()}
	c := newTestCleaner(t, "", s)
	plan := planned(t, c, everything)
	run, err := c.table.Begin(t.Context(), "windsurf", cleantest.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), plan, nil)
	if !strings.HasPrefix(say.Sentence(err, ""), "Another Windsock is cleaning up now.") || len(s.Calls) > 0 {
		t.Errorf("got %v, archived %v", err, s.Calls)
	}
	if err := run.End(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Run(t.Context(), plan, nil); err != nil || len(got.Archived) != 10 {
		t.Errorf("got %+v, %v", got, err)
	}
}
