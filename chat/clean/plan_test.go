package clean

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/chat/clean/cleantest"
	pb "windsock/probe/languageserver"
)

func TestPlanClean(t *testing.T) {
	t.Parallel()
	rules := Rules{OlderThan: 14 * Day}
	tests := []struct {
		name     string
		listings []cleanListing
		files    map[string]cascadeFile
		archived map[string]bool
		rules    Rules
		want     []string
		kept     Kept
	}{
		{"nothing", []cleanListing{{}}, nil, nil, rules, nil, Kept{}},
		{
			"oldest_first",
			[]cleanListing{{"b": cleantest.Touched(20), "a": cleantest.Touched(30), "c": cleantest.Touched(15), "d": cleantest.Touched(20)}},
			nil, nil, rules,
			[]string{"a", "b", "d", "c"},
			Kept{},
		},
		{
			"limit_itself_is_recent",
			[]cleanListing{{"at": cleantest.Touched(14), "just": {LastModifiedTime: timestamppb.New(cleantest.DaysAgo(14).Add(-time.Nanosecond))}}},
			nil, nil, rules,
			[]string{"just"},
			Kept{Recent: 1},
		},
		{
			"kept_by_reason",
			[]cleanListing{{
				"running":   cleantest.Touched(90, cleantest.Running),
				"busy":      cleantest.Touched(90, cleantest.InState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_BUSY)),
				"canceling": cleantest.Touched(90, cleantest.InState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_CANCELING)),
				"new_state": cleantest.Touched(90, cleantest.InState(99)),
				"queued":    cleantest.Touched(90, func(s *pb.CascadeTrajectorySummary) { s.QueueSize = 1 }),
				"archived":  cleantest.Touched(90, cleantest.Archived),
				"hidden":    cleantest.Touched(90, cleantest.Hidden),
				"untimed":   cleantest.Touched(90, cleantest.Untimed),
				"epoch":     cleantest.Touched(90, func(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = &timestamppb.Timestamp{} }),
				"no_time": cleantest.Touched(90, func(s *pb.CascadeTrajectorySummary) {
					s.LastModifiedTime = &timestamppb.Timestamp{Seconds: 1 << 60}
				}),
				"nil":       nil,
				"tomorrow":  cleantest.Touched(-1),
				"recent":    cleantest.Touched(13),
				"../up":     cleantest.Touched(90),
				"stateless": cleantest.Touched(90, cleantest.InState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED)),
				"stale":     cleantest.Touched(91),
			}},
			nil, nil, rules,
			[]string{"stale", "stateless"},
			Kept{Running: 5, Archived: 1, Hidden: 1, UnknownTime: 4, Recent: 2, UnusableID: 1},
		},
		{
			"newest_kept",
			[]cleanListing{{
				"a": cleantest.Touched(50), "b": cleantest.Touched(40), "c": cleantest.Touched(30), "run": cleantest.Touched(5, cleantest.Running),
				"gone": cleantest.Touched(1, cleantest.Archived), "away": cleantest.Touched(1, cleantest.Hidden), "x": cleantest.Touched(1, cleantest.Untimed),
			}},
			nil, nil,
			Rules{OlderThan: 14 * Day, Keep: 2}, // the running one and c
			[]string{"a", "b"},
			Kept{Running: 1, Archived: 1, Hidden: 1, UnknownTime: 1, Newest: 1},
		},
		{
			"fewer_than_kept",
			[]cleanListing{{"a": cleantest.Touched(50), "b": cleantest.Touched(40)}},
			nil, nil,
			Rules{OlderThan: 14 * Day, Keep: 10},
			nil,
			Kept{Newest: 2},
		},
		{
			"other_server_knows_better",
			[]cleanListing{
				{"a": cleantest.Touched(50), "b": cleantest.Touched(50), "c": cleantest.Touched(50), "d": cleantest.Touched(50), "e": cleantest.Touched(50)},
				{"a": cleantest.Touched(50, cleantest.Running), "b": cleantest.Touched(50, cleantest.Archived), "c": cleantest.Touched(50, cleantest.Hidden), "d": cleantest.Touched(2)},
			},
			nil, nil, rules,
			[]string{"e"},
			Kept{Running: 1, Archived: 1, Hidden: 1, Recent: 1},
		},
		{
			"first_server_knows_better",
			[]cleanListing{
				{"a": cleantest.Touched(50, cleantest.Running), "b": cleantest.Touched(50, cleantest.Archived), "c": cleantest.Touched(50, cleantest.Hidden), "d": cleantest.Touched(2)},
				{"a": cleantest.Touched(50), "b": cleantest.Touched(50), "c": cleantest.Touched(50), "d": cleantest.Touched(50), "e": cleantest.Touched(50)},
			},
			nil, nil, rules,
			[]string{"e"},
			Kept{Running: 1, Archived: 1, Hidden: 1, Recent: 1},
		},
		{
			"other_server_cannot_list",
			[]cleanListing{nil, {"a": cleantest.Touched(50)}},
			map[string]cascadeFile{"b": {10, cleantest.DaysAgo(50)}},
			nil, rules,
			[]string{"a"},
			Kept{},
		},
		{
			"file_is_later",
			[]cleanListing{{"a": cleantest.Touched(50), "b": cleantest.Touched(50), "c": cleantest.Touched(3), "d": cleantest.Touched(50, cleantest.Untimed), "e": cleantest.Touched(50, cleantest.Untimed)}},
			map[string]cascadeFile{
				"a": {1, cleantest.DaysAgo(3)}, "b": {2, cleantest.DaysAgo(60)}, "c": {3, cleantest.DaysAgo(60)},
				"d": {4, cleantest.DaysAgo(60)}, "e": {5, time.Unix(0, 0)}, "unlisted": {6, cleantest.DaysAgo(60)},
			},
			nil, rules,
			[]string{"d 4", "b 2"},
			Kept{Recent: 2, UnknownTime: 1},
		},
		{
			"files_only",
			[]cleanListing{nil, nil},
			map[string]cascadeFile{"a": {1, cleantest.DaysAgo(20)}, "b": {2, cleantest.DaysAgo(3)}, "c": {3, cleantest.DaysAgo(30)}, "d": {4, time.Time{}}},
			map[string]bool{"c": true},
			rules,
			[]string{"a 1"},
			Kept{Archived: 1, Recent: 1, UnknownTime: 1},
		},
		{"everything", []cleanListing{{"a": cleantest.Touched(0), "b": cleantest.Touched(1)}}, nil, nil, Rules{}, []string{"b"}, Kept{Recent: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan := planClean(cleanSight{listings: tt.listings, files: tt.files, archived: tt.archived}, cleantest.Now, tt.rules)
			var got []string
			for _, item := range plan.Items {
				if item.BytesKnown {
					got = append(got, fmt.Sprint(item.CascadeID, " ", item.Bytes))
				} else {
					got = append(got, item.CascadeID)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.kept, plan.Kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if want := !anyListing(tt.listings); plan.FilesOnly != want {
				t.Errorf("files only: got %t", plan.FilesOnly)
			}
		})
	}
}

func TestPlanCleanWhole(t *testing.T) {
	t.Parallel()
	named := cleantest.Touched(20, func(s *pb.CascadeTrajectorySummary) {
		s.RenamedTitle = new("Mine\x1b[2J")
		s.Workspaces = []*pb.CortexWorkspaceMetadata{{WorkspaceFolderAbsoluteUri: "file:///home/ada/shop"}}
	})
	got := planClean(cleanSight{
		listings: []cleanListing{{"a": named}, {"a": cleantest.Touched(30), "b": cleantest.Touched(40)}},
		files:    map[string]cascadeFile{"a": {2000, cleantest.DaysAgo(25)}},
	}, cleantest.Now, everything)
	want := Plan{
		Rules: everything,
		At:    cleantest.Now,
		Items: []Item{
			{CascadeID: "b", Title: "40 days old", LastTouched: cleantest.DaysAgo(40)},
			{CascadeID: "a", Title: "Mine", Workspace: "shop", LastTouched: cleantest.DaysAgo(20), Bytes: 2000, BytesKnown: true},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if bytes, unknown := got.Bytes(); bytes != 2000 || unknown != 1 {
		t.Errorf("got %d bytes, %d unknown", bytes, unknown)
	}
}

// TestFreshest: a server that has not heard of the last turn would archive the
// cascade as it was before.
func TestFreshest(t *testing.T) {
	t.Parallel()
	got := cleanSight{listings: []cleanListing{
		{"a": cleantest.Touched(30), "b": cleantest.Touched(30), "c": cleantest.Touched(9, cleantest.Untimed)},
		{"a": cleantest.Touched(20), "b": cleantest.Touched(30), "c": cleantest.Touched(9, cleantest.Untimed)},
		{"a": cleantest.Touched(20), "b": cleantest.Touched(31, cleantest.Archived)},
	}}.cascades()
	want := map[string][2][]int{"a": {{1, 2}, nil}, "b": {{0, 1}, {2}}, "c": {{0, 1}, nil}}
	for id, w := range want {
		if diff := cmp.Diff(w, [2][]int{got[id].freshest, got[id].archivedBy}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// BenchmarkCleanPlan asks two servers that know 10,000 cascades each, with their files
// on disk. The budget is 300 ms.
func BenchmarkCleanPlan(b *testing.B) {
	codeium := b.TempDir()
	l := cleanListing{}
	for i := range 10_000 {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		l[id] = cleantest.Touched(i%100, func(s *pb.CascadeTrajectorySummary) {
			s.Workspaces = []*pb.CortexWorkspaceMetadata{{WorkspaceFolderAbsoluteUri: "file:///home/ada/shop"}}
		})
		cleantest.WriteCascade(b, codeium, id, 1, cleantest.DaysAgo(i%100))
	}
	c := newTestCleaner(b, codeium, &cleantest.Server{Cascades: l}, &cleantest.Server{Cascades: l})
	for b.Loop() {
		plan, err := c.Plan(b.Context(), DefaultRules())
		if err != nil || len(plan.Items) != 8500 {
			b.Fatalf("%d items, %v", len(plan.Items), err)
		}
	}
}
