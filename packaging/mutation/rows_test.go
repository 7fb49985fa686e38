package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRowsOf(t *testing.T) {
	t.Parallel()
	got := rowsOf(`
| attack | what covers it | test |
|---|---|---|
| a wrong Host | the name | TestGuard, TestAttacks |
| a link | nothing yet | none |

| two | cells |
`)
	want := []row{{"a wrong Host", []string{"TestGuard", "TestAttacks"}}, {"a link", nil}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	rows := []row{{"a wrong Host", []string{"TestGuard"}}}
	guarded := func(tests ...string) []attack {
		return []attack{{"a wrong Host", []mutation{{tests: tests}}}}
	}
	tests := []struct {
		name    string
		rows    []row
		attacks []attack
		want    string
	}{
		{name: "same", rows: rows, attacks: guarded("probe/loopback TestGuard/rebound_name")},
		{name: "no_mutation", rows: rows, want: `no mutation shows that TestGuard sees "a wrong Host"`},
		{name: "no_test", rows: []row{{"a link", nil}}, want: `SECURITY.md names no test for "a link"`},
		{
			name: "test_not_named", rows: rows, attacks: guarded("probe/loopback TestGuard", "probe TestElse"),
			want: `SECURITY.md does not name TestElse for "a wrong Host"`,
		},
		{name: "no_row", attacks: guarded("probe/loopback TestGuard"), want: `SECURITY.md has no row "a wrong Host"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := covered(tt.rows, tt.attacks); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTable: SECURITY.md and the table agree, and the code to remove exists. Only a run
// of this program shows that the tests notice its removal.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	security, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := covered(rowsOf(string(security)), attacks); err != nil {
		t.Error(err)
	}
	for _, a := range attacks {
		for _, m := range a.mutations {
			if _, err := m.changed(); err != nil {
				t.Error(err)
			}
		}
	}
}
