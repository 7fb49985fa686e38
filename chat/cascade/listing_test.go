package cascade

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// simulatedListing is a simulated server's list of that many cascades.
func simulatedListing(tb testing.TB, n int) []byte {
	tb.Helper()
	raw, err := simtest.Answer(tb.Context(), simulator.Config{Cascade: simulator.Cascade{Old: n}}, "GetAllCascadeTrajectories", "{}")
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// asProtojson is how protojson reads a listing, without the fields that no rule
// looks at.
func asProtojson(raw []byte) (map[string]*pb.CascadeTrajectorySummary, error) {
	var m pb.GetAllCascadeTrajectoriesResponse
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	all := map[string]*pb.CascadeTrajectorySummary{}
	for id, s := range m.GetTrajectorySummaries() {
		s.TrajectoryId, s.Errored, s.LastGeneratorModelUid = "", false, nil
		for _, w := range s.GetWorkspaces() {
			w.BranchName = ""
		}
		all[id] = s
	}
	return all, nil
}

func TestReadListing(t *testing.T) {
	t.Parallel()
	entry := func(fields string) string { return `{"trajectorySummaries":{"a-1":{` + fields + `}}}` }
	all := `"summary":"é \"q\"","renamedTitle":"","stepCount":7,"queueSize":1,"status":"CASCADE_RUN_STATUS_BUSY",` +
		`"lastModifiedTime":"2026-02-03T10:00:00.123456789Z","createdTime":"2026-02-03T10:00:00+01:00","lastUserInputTime":"1970-01-01T00:00:00Z",` +
		`"isArchived":true,"hidden":true,"trajectoryType":"CORTEX_TRAJECTORY_TYPE_CASCADE","trajectorySource":"CORTEX_TRAJECTORY_SOURCE_CASCADE_CLIENT",` +
		`"workspaces":[{"workspaceFolderAbsoluteUri":"file:///a","gitRootAbsoluteUri":"file:///b"},{}]`
	tests := []struct {
		name, answer string
		refused      bool // left to protojson
	}{
		{"simulated", string(simulatedListing(t, 500)), false},
		{"empty", `{}`, false},
		{"no_cascades", `{"trajectorySummaries":{}}`, false},
		{"every_field", entry(all), false},
		{"no_field", entry(``), false},
		{"later_fields", entry(`"laterOn":{"a":[1]},"summary":"x","other":null`), false},
		{"garbage", `<!DOCTYPE html>`, true},
		{"cut", entry(all)[:200], true},
		{"list", `[]`, true},
		{"summaries_list", `{"trajectorySummaries":[]}`, true},
		{"summaries_null", `{"trajectorySummaries":null}`, true},
		{"summary_list", `{"trajectorySummaries":{"a":[]}}`, true},
		{"proto_name_outside", `{"trajectory_summaries":{}}`, true},
		{"proto_name", entry(`"is_archived":true`), true},
		{"proto_name_of_workspace", entry(`"workspaces":[{"git_root_absolute_uri":"file:///a"}]`), true},
		{"null", entry(`"isArchived":null`), true},
		{"number_as_text", entry(`"stepCount":"7"`), true},
		{"enum_as_number", entry(`"status":2`), true},
		{"flag_as_text", entry(`"hidden":"true"`), true},
		{"negative", entry(`"stepCount":-1`), true},
		{"fraction", entry(`"queueSize":0.5`), true},
		{"no_time", entry(`"createdTime":"yesterday"`), true},
		{"no_text", entry(`"summary":{}`), true},
		{"no_workspaces", entry(`"workspaces":{}`), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := readListing([]byte(tt.answer))
			if ok == tt.refused {
				t.Fatalf("read: %v", ok)
			}
			if tt.refused {
				return
			}
			want, err := asProtojson([]byte(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("(-protojson +got):\n%s", diff)
			}
		})
	}
}

// What nests without end is left to protojson, whose descent ends.
func TestReadListingDeep(t *testing.T) { //nolint:paralleltest // the stack's limit is everybody's
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	raw := []byte(`{"trajectorySummaries":{"a":` + strings.Repeat("[", 6<<20) + strings.Repeat("]", 6<<20) + `}}`)
	if _, ok := readListing(raw); ok {
		t.Error("it was read")
	}
	if _, err := asProtojson(raw); err == nil {
		t.Error("protojson reads it")
	}
}

// A status that a later server has is not idleness, though protojson passes over
// its name: what runs is not to be archived.
func TestReadListingUnknownStatus(t *testing.T) {
	t.Parallel()
	all, ok := readListing([]byte(`{"trajectorySummaries":{"a":{"status":"CASCADE_RUN_STATUS_DREAMING"}}}`))
	if !ok || all["a"].GetStatus() != unknownStatus {
		t.Errorf("%v, %v is not running", ok, all["a"])
	}
}

func FuzzReadListing(f *testing.F) {
	f.Add(simulatedListing(f, 3))
	f.Add([]byte(`{"trajectorySummaries":{"a":{"status":1,"hidden":null,"stepCount":1e2}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := readListing(raw)
		want, err := asProtojson(raw)
		if !ok || err != nil {
			return
		}
		for _, s := range got {
			if s.GetStatus() == unknownStatus {
				s.Status = 0
			}
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("(-protojson +got):\n%s", diff)
		}
	})
}

// BenchmarkListing is the answer of a server that knows 10,000 cascades.
func BenchmarkListing(b *testing.B) {
	raw := simulatedListing(b, 10_000)
	for name, read := range map[string]func() error{
		"gjson": func() error {
			if all, ok := readListing(raw); !ok || len(all) != 10_000 {
				return fmt.Errorf("%v, %d cascades", ok, len(all))
			}
			return nil
		},
		"protojson": func() error {
			_, err := asProtojson(raw)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
