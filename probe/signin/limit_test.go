package signin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// endless is a query that never ends by itself.
const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"

// A database may hold anything. A view, or too long or too many values, give an error
// with a clause, from both readers, and take neither time nor memory.
func TestReadStateLimits(t *testing.T) {
	t.Parallel()
	isNoTable, isTooMuch := errNoTable.Error(), errTooMuch.Error()
	tests := []struct {
		name       string
		statements []string
		key        string // the error, "" for the value
		caches     string
	}{
		{"view_without_end", []string{"DROP TABLE ItemTable", "CREATE VIEW ItemTable AS SELECT x AS rowid, x AS key, x AS value FROM (" + endless + ")"}, isNoTable, isNoTable},
		{"view_in_another_case", []string{"DROP TABLE ItemTable", "CREATE VIEW itemtable AS SELECT x AS rowid, x AS key, x AS value FROM (" + endless + ")"}, isNoTable, isNoTable},
		{"virtual_table", []string{"DROP TABLE ItemTable", "CREATE VIRTUAL TABLE ItemTable USING fts5(key, value)"}, isNoTable, isNoTable},
		{"large_value", []string{"INSERT INTO ItemTable VALUES ('windsurfAuthStatus', zeroblob(5000000))"}, isTooMuch, isTooMuch},
		{"large_text", []string{"INSERT INTO ItemTable VALUES ('windsurfAuthStatus', '{\"apiKey\":\"' || hex(zeroblob(2500000)) || '\"}')"}, isTooMuch, isTooMuch},
		{"large_when_read", []string{
			"DROP TABLE ItemTable",
			"CREATE TABLE ItemTable (key TEXT, value AS (zeroblob(300000000)))", "INSERT INTO ItemTable (key) VALUES ('windsurfAuthStatus')",
		}, isTooMuch, isTooMuch},
		// Other extensions may store anything.
		{"large_values_of_others", []string{
			"INSERT INTO ItemTable VALUES ('memento/other', zeroblob(5000000))", "INSERT INTO ItemTable VALUES ('zz', zeroblob(5000000))",
		}, "", ""},
	}
	for _, tt := range tests {
		for _, pragma := range []string{"journal_mode = DELETE", "journal_mode = WAL"} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "state.vscdb")
				conn := openState(t, path, "synchronous = OFF", pragma) // no power cut happens here, and Wine is slow
				execState(t, conn, setKey, "new")
				execState(t, conn, "INSERT INTO ItemTable VALUES ('"+planInfoKey+"', '{\"a\":1}')")
				for _, statement := range tt.statements {
					execState(t, conn, statement)
				}
				closeState(t, conn)
				value, err := stateAt(t, path).value(t.Context(), authKey)
				if said := fmt.Sprint(err); tt.key != "" && said != tt.key || tt.key == "" && (err != nil || string(value) != "new") {
					t.Errorf("value = %.100q, %s; want %q", value, said, tt.key)
				}
				var got []string
				readCaches(t.Context(), "", stateAt(t, path), func(c Cache, err error) bool {
					got = append(got, fmt.Sprint(c.Name, " ", string(c.Raw), " ", err))
					return true
				})
				want := []string{"state.vscdb  " + tt.caches}
				if tt.caches == "" {
					want = []string{cacheStatus + "  the stored sign-in is damaged", cachePlanInfo + ` {"a":1} <nil>`}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// Values that are short enough each can be too many together.
func TestQueryStateTooMuch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	conn := openState(t, path)
	for user := range maxValues/maxValue + 1 {
		execState(t, conn, "INSERT INTO ItemTable VALUES (?, zeroblob(?))", fmt.Sprint(planDataPrefix, user), maxValue-1000)
	}
	closeState(t, conn)
	rows, err := query(t.Context(), path, modeReadOnly, "key > ''", nil)
	if !errors.Is(err, errTooMuch) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A read that takes too long is abandoned, and the error says so.
func TestReadStateTakesTooLong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	makeState(t, path, "new")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errTooSlow)
	defer cancel()
	if rows, err := stateAt(t, path).rows(ctx, "key IN ("+endless+")"); !errors.Is(err, errTooSlow) {
		t.Errorf("%v, %v", rows, err)
	}
}
