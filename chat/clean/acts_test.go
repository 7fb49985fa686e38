package clean

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/chat/clean/cleantest"
	"windsock/chat/touched/touchedtest"
	pb "windsock/probe/languageserver"
)

// editorRig is a cleaner of an editor that writes a cascade's file when it is archived.
type editorRig struct {
	*Cleaner

	t       *testing.T
	codeium string
	server  *cleantest.Server
	now     time.Time
}

// newEditorRig has twelve cascades. twoKept keeps the two newest.
func newEditorRig(t *testing.T, editor func(r *editorRig, id string)) *editorRig {
	t.Helper()
	r := &editorRig{t: t, codeium: t.TempDir(), now: cleantest.Now, server: &cleantest.Server{Cascades: cleanListing{}}}
	r.server.Meanwhile = func(_ context.Context, id string) { editor(r, id) }
	for i := range 12 {
		id := string(rune('a' + i))
		r.server.Cascades[id] = cleantest.Touched(40 - i)
		cleantest.WriteCascade(t, r.codeium, id, 1000, cleantest.DaysAgo(40-i))
	}
	r.Cleaner = New(testTarget(r.codeium, r.server), touchedtest.New(t, t.TempDir(), time.Now), func() time.Time { return r.now })
	return r
}

var twoKept = Rules{OlderThan: 14 * Day, Keep: 2}

// writes is the editor that has a file's time be so much later than the present.
func writes(late time.Duration) func(*editorRig, string) {
	return func(r *editorRig, id string) { r.write(id, r.now.Add(late)) }
}

func (r *editorRig) write(id string, at time.Time) {
	cleantest.WriteCascade(r.t, r.codeium, id, 10, at)
}

func (r *editorRig) clean() {
	r.t.Helper()
	if got, err := r.Run(r.t.Context(), planned(r.t, r.Cleaner, twoKept), nil); err != nil || len(got.Failed) > 0 {
		r.t.Fatalf("got %+v, %v", got, err)
	}
	r.now = r.now.Add(time.Minute)
}

func (r *editorRig) takeBack() {
	r.t.Helper()
	if got, err := r.Undo(r.t.Context(), lastClean(r.t, r.Cleaner), nil); err != nil || len(got.Failed) > 0 {
		r.t.Fatalf("got %+v, %v", got, err)
	}
	r.now = r.now.Add(time.Minute)
}

// touches are a plan's times of the last touch, with the number of cascades that it
// keeps.
func (r *editorRig) touches() (map[string]time.Time, Kept) {
	r.t.Helper()
	plan := planned(r.t, r.Cleaner, twoKept)
	at := map[string]time.Time{}
	for _, item := range plan.Items {
		at[item.CascadeID] = item.LastTouched
	}
	return at, plan.Kept
}

// TestUndoPlansTheSame: what Windsock has archived and put back is as stale as it was,
// whatever the editor has written meanwhile.
func TestUndoPlansTheSame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		editor func(r *editorRig, id string)
		edit   func(*editorRig)
	}{
		{"writes_nothing", func(*editorRig, string) {}, nil},
		{"writes_files", writes(0), nil},
		{"writes_files_a_moment_later", writes(5 * time.Second), nil},
		{"has_a_coarse_clock", writes(-2 * time.Second), nil},
		{"does_not_list", writes(0), func(r *editorRig) { r.server.NoList = true }},
		{"writes_files_once", func(r *editorRig, id string) {
			if r.now.Equal(cleantest.Now) {
				r.write(id, r.now)
			}
		}, nil},
		{"sets_the_time", func(r *editorRig, id string) {
			r.server.Set(id, func(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = timestamppb.New(r.now) })
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newEditorRig(t, tt.editor)
			if tt.edit != nil {
				tt.edit(r)
			}
			want, kept := r.touches()
			if len(want) != 10 {
				t.Fatalf("plan: %v", want)
			}
			for range 2 {
				r.clean()
				r.takeBack()
				got, keptNow := r.touches()
				if diff := cmp.Diff(want, got) + cmp.Diff(kept, keptNow); diff != "" {
					t.Errorf("(-before +after):\n%s", diff)
				}
			}
		})
	}
}

// TestTouchedByAPerson: a person's touch counts, whenever it happens.
func TestTouchedByAPerson(t *testing.T) {
	t.Parallel()
	const id = "c"
	inServer := func(r *editorRig, at time.Time) {
		r.server.Set(id, func(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = timestamppb.New(at) })
	}
	tests := []struct {
		name string
		do   func(r *editorRig)
	}{
		{"after_the_undo", func(r *editorRig) {
			r.takeBack()
			inServer(r, r.now)
		}},
		{"right_after_the_undo", func(r *editorRig) {
			undone := r.now
			r.takeBack()
			inServer(r, undone.Add(time.Second))
		}},
		{"in_a_server_that_has_ended", func(r *editorRig) {
			r.takeBack()
			r.write(id, r.now)
		}},
		{"before_the_undo", func(r *editorRig) {
			r.write(id, r.now)
			r.now = r.now.Add(time.Minute)
			r.takeBack()
		}},
		{"put_back_by_hand", func(r *editorRig) {
			r.server.Set(id, func(s *pb.CascadeTrajectorySummary) { s.IsArchived = false })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newEditorRig(t, writes(0))
			r.clean()
			tt.do(r)
			got, kept := r.touches()
			if _, stale := got[id]; stale || kept.Newest != 2 {
				t.Errorf("got %v, kept %+v", got, kept)
			}
		})
	}
}

// TestActsNotNoted: a cascade that was not archived is not recorded as archived.
func TestActsNotNoted(t *testing.T) {
	t.Parallel()
	r := newEditorRig(t, func(*editorRig, string) {})
	r.server.Refuse = map[string]error{"a": cleantest.ErrRefused, "b": context.DeadlineExceeded}
	if _, err := r.Run(t.Context(), planned(t, r.Cleaner, twoKept), nil); err != nil {
		t.Fatal(err)
	}
	acts, err := r.table.Acts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "c", "d", "e", "f", "g", "h", "i", "j"}, slices.Sorted(maps.Keys(acts))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
