package status

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// Each meter has words, and a case in which a server has it. The case is shown, fits
// its window, and survives --save.
func TestMeters(t *testing.T) {
	t.Parallel()
	seen := casesOf(t)
	for _, id := range usage.MeterIDs() {
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			m, ok := seen[id]
			if !ok {
				t.Fatal("no case in usage/windsurf/testdata/cases has it in state ok; if one does, see meters and mode in windsurf/rules.go")
			}
			if line := (words.Words{}).Line(usage.Snapshot{Judged: usagetest.Noon}, m); line.Label == "" || line.Text == "" {
				t.Errorf("it is shown as %+v", line)
			}
			if paced := id.Info().Rhythm != usage.RhythmNone; paced == m.Window.End.IsZero() {
				t.Errorf("paced by the table: %v, but its window is %v", paced, m.Window)
			}
		})
	}
}

// casesOf are the meters with a figure in the cases, one of each. In all cases the
// order is that of MeterIDs, and Anonymize removes no part of it.
func casesOf(t *testing.T) map[usage.MeterID]usage.Meter {
	t.Helper()
	files, err := filepath.Glob("../windsurf/testdata/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[usage.MeterID]usage.Meter{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases caseFile
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases.Cases {
			s, _ := windsurf.Decode(c.Input, usage.Source{Kind: usage.KindLanguageServer})
			saved, _ := windsurf.Decode(windsurf.Anonymize(c.Input), usage.Source{Kind: usage.KindLanguageServer})
			if diff := cmp.Diff(s.Meters, saved.Meters); diff != "" {
				t.Errorf("%s: --save loses fields, which save_fields.go lists: meters (-want +got):\n%s", c.ID, diff)
			}
			if !slices.IsSortedFunc(s.Meters, func(a, b usage.Meter) int {
				return slices.Index(usage.MeterIDs(), a.ID) - slices.Index(usage.MeterIDs(), b.ID)
			}) {
				ids := make([]usage.MeterID, len(s.Meters))
				for i, m := range s.Meters {
					ids[i] = m.ID
				}
				t.Errorf("%s: meters are %q; the table's order is %q", c.ID, ids, usage.MeterIDs())
			}
			for _, m := range s.Meters {
				if m.State == usage.StateOK {
					seen[m.ID] = m
				}
			}
		}
	}
	return seen
}
