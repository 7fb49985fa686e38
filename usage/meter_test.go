package usage

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every list of meters ranges over MeterIDs, or is held against it by the tests
// that are called TestMeters.
func TestMetersAreListed(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "meter.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []MeterID
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "MeterID" {
			id, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, MeterID(id))
		}
		return true
	})
	if diff := cmp.Diff(declared, MeterIDs()); diff != "" {
		t.Errorf("MeterIDs (-declared +listed):\n%s", diff)
	}
}

// Each meter has words, and a case in which a server has it: what is then made of
// it is shown, fits its window, and comes through --save.
func TestMeters(t *testing.T) {
	t.Parallel()
	seen := casesOf(t)
	for _, id := range MeterIDs() {
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			m, ok := seen[id]
			if !ok {
				t.Fatal("no case has it with a figure")
			}
			if line := (Words{}).Line(Snapshot{Judged: noon}, m); line.Label == "" || line.Text == "" {
				t.Errorf("it is shown as %+v", line)
			}
			if w := m.Window; !w.Start.IsZero() && kindOfPace(id).recent >= w.End.Sub(w.Start) {
				t.Errorf("its recent pace is that of %v, its window has %v", kindOfPace(id).recent, w.End.Sub(w.Start))
			}
		})
	}
}

// casesOf are the meters that the cases have with a figure, one of each. In all of
// them the order is that of MeterIDs, and Anonymize takes nothing of it out.
func casesOf(t *testing.T) map[MeterID]Meter {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[MeterID]Meter{}
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
			s, _ := Decode(c.Input, Source{Kind: KindLanguageServer})
			saved, _ := Decode(Anonymize(c.Input), Source{Kind: KindLanguageServer})
			if diff := cmp.Diff(s.Meters, saved.Meters); diff != "" {
				t.Errorf("%s: meters after Anonymize (-want +got):\n%s", c.ID, diff)
			}
			if !slices.IsSortedFunc(s.Meters, func(a, b Meter) int {
				return slices.Index(MeterIDs(), a.ID) - slices.Index(MeterIDs(), b.ID)
			}) {
				t.Errorf("%s: their order is that of %v", c.ID, brief(s))
			}
			for _, m := range s.Meters {
				if m.State == StateOK {
					seen[m.ID] = m
				}
			}
		}
	}
	return seen
}
