package chat

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
)

func TestPlanClean(t *testing.T) {
	t.Parallel()
	rules := CleanRules{OlderThan: 14 * cleanDay}
	tests := []struct {
		name     string
		listings []cleanListing
		files    map[string]cascadeFile
		archived map[string]bool
		rules    CleanRules
		want     []string
		kept     CleanKept
	}{
		{"nothing", []cleanListing{{}}, nil, nil, rules, nil, CleanKept{}},
		{
			"oldest_first",
			[]cleanListing{{"b": touched(20), "a": touched(30), "c": touched(15), "d": touched(20)}},
			nil, nil, rules,
			[]string{"a", "b", "d", "c"},
			CleanKept{},
		},
		{
			"limit_itself_is_recent",
			[]cleanListing{{"at": touched(14), "just": {LastModifiedTime: timestamppb.New(daysAgo(14).Add(-time.Nanosecond))}}},
			nil, nil, rules,
			[]string{"just"},
			CleanKept{Recent: 1},
		},
		{
			"kept_by_reason",
			[]cleanListing{{
				"running":   touched(90, isRunningNow),
				"busy":      touched(90, inState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_BUSY)),
				"canceling": touched(90, inState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_CANCELING)),
				"new_state": touched(90, inState(99)),
				"queued":    touched(90, func(s *pb.CascadeTrajectorySummary) { s.QueueSize = 1 }),
				"archived":  touched(90, isArchived),
				"hidden":    touched(90, isHidden),
				"untimed":   touched(90, isUntimed),
				"epoch":     touched(90, func(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = &timestamppb.Timestamp{} }),
				"no_time": touched(90, func(s *pb.CascadeTrajectorySummary) {
					s.LastModifiedTime = &timestamppb.Timestamp{Seconds: 1 << 60}
				}),
				"nil":       nil,
				"tomorrow":  touched(-1),
				"recent":    touched(13),
				"../up":     touched(90),
				"stateless": touched(90, inState(pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED)),
				"stale":     touched(91),
			}},
			nil, nil, rules,
			[]string{"stale", "stateless"},
			CleanKept{Running: 5, Archived: 1, Hidden: 1, UnknownTime: 4, Recent: 2, UnusableID: 1},
		},
		{
			"newest_kept",
			[]cleanListing{{
				"a": touched(50), "b": touched(40), "c": touched(30), "run": touched(5, isRunningNow),
				"gone": touched(1, isArchived), "away": touched(1, isHidden), "x": touched(1, isUntimed),
			}},
			nil, nil,
			CleanRules{OlderThan: 14 * cleanDay, Keep: 2}, // the running one and c
			[]string{"a", "b"},
			CleanKept{Running: 1, Archived: 1, Hidden: 1, UnknownTime: 1, Newest: 1},
		},
		{
			"fewer_than_kept",
			[]cleanListing{{"a": touched(50), "b": touched(40)}},
			nil, nil,
			CleanRules{OlderThan: 14 * cleanDay, Keep: 10},
			nil,
			CleanKept{Newest: 2},
		},
		{
			"other_server_knows_better",
			[]cleanListing{
				{"a": touched(50), "b": touched(50), "c": touched(50), "d": touched(50), "e": touched(50)},
				{"a": touched(50, isRunningNow), "b": touched(50, isArchived), "c": touched(50, isHidden), "d": touched(2)},
			},
			nil, nil, rules,
			[]string{"e"},
			CleanKept{Running: 1, Archived: 1, Hidden: 1, Recent: 1},
		},
		{
			"first_server_knows_better",
			[]cleanListing{
				{"a": touched(50, isRunningNow), "b": touched(50, isArchived), "c": touched(50, isHidden), "d": touched(2)},
				{"a": touched(50), "b": touched(50), "c": touched(50), "d": touched(50), "e": touched(50)},
			},
			nil, nil, rules,
			[]string{"e"},
			CleanKept{Running: 1, Archived: 1, Hidden: 1, Recent: 1},
		},
		{
			"other_server_cannot_list",
			[]cleanListing{nil, {"a": touched(50)}},
			map[string]cascadeFile{"b": {10, daysAgo(50)}},
			nil, rules,
			[]string{"a"},
			CleanKept{},
		},
		{
			"file_is_later",
			[]cleanListing{{"a": touched(50), "b": touched(50), "c": touched(3), "d": touched(50, isUntimed), "e": touched(50, isUntimed)}},
			map[string]cascadeFile{
				"a": {1, daysAgo(3)}, "b": {2, daysAgo(60)}, "c": {3, daysAgo(60)},
				"d": {4, daysAgo(60)}, "e": {5, time.Unix(0, 0)}, "unlisted": {6, daysAgo(60)},
			},
			nil, rules,
			[]string{"d 4", "b 2"},
			CleanKept{Recent: 2, UnknownTime: 1},
		},
		{
			"files_only",
			[]cleanListing{nil, nil},
			map[string]cascadeFile{"a": {1, daysAgo(20)}, "b": {2, daysAgo(3)}, "c": {3, daysAgo(30)}, "d": {4, time.Time{}}},
			map[string]bool{"c": true},
			rules,
			[]string{"a 1"},
			CleanKept{Archived: 1, Recent: 1, UnknownTime: 1},
		},
		{"everything", []cleanListing{{"a": touched(0), "b": touched(1)}}, nil, nil, CleanRules{}, []string{"b"}, CleanKept{Recent: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan := planClean(cleanSight{listings: tt.listings, files: tt.files, archived: tt.archived}, cleanNow, tt.rules)
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
	named := touched(20, func(s *pb.CascadeTrajectorySummary) {
		s.RenamedTitle = new("Mine\x1b[2J")
		s.Workspaces = []*pb.CortexWorkspaceMetadata{{WorkspaceFolderAbsoluteUri: "file:///home/ada/shop"}}
	})
	got := planClean(cleanSight{
		listings: []cleanListing{{"a": named}, {"a": touched(30), "b": touched(40)}},
		files:    map[string]cascadeFile{"a": {2000, daysAgo(25)}},
	}, cleanNow, everything)
	want := CleanPlan{
		Rules: everything,
		At:    cleanNow,
		Items: []CleanItem{
			{CascadeID: "b", Title: "40 days old", LastTouched: daysAgo(40)},
			{CascadeID: "a", Title: "Mine", Workspace: "shop", LastTouched: daysAgo(20), Bytes: 2000, BytesKnown: true},
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
		{"a": touched(30), "b": touched(30), "c": touched(9, isUntimed)},
		{"a": touched(20), "b": touched(30), "c": touched(9, isUntimed)},
		{"a": touched(20), "b": touched(31, isArchived)},
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
		l[id] = touched(i%100, func(s *pb.CascadeTrajectorySummary) {
			s.Workspaces = []*pb.CortexWorkspaceMetadata{{WorkspaceFolderAbsoluteUri: "file:///home/ada/shop"}}
		})
		writeCascade(b, codeium, id, 1, daysAgo(i%100))
	}
	c := newTestCleaner(b, codeium, &fakeServer{cascades: l}, &fakeServer{cascades: l})
	for b.Loop() {
		plan, err := c.Plan(b.Context(), DefaultCleanRules())
		if err != nil || len(plan.Items) != 8500 {
			b.Fatalf("%d items, %v", len(plan.Items), err)
		}
	}
}
