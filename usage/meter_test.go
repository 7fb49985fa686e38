package usage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every list of meters ranges over MeterIDs, or the tests named TestMeters compare it
// with them.
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
