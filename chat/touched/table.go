// Package touched keeps which cascades Windsock has touched, in one table: those
// that prompts have left to be archived, those that clean has archived, for its undo,
// and when Windsock did so, since that is no sign of a person. It knows ids and times,
// no titles, no paths and no prompts. Whose servers are asked, and what is archived,
// is for packages cascade and clean to decide.
package touched

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Room is a database that several processes may use at once.
type Room interface {
	// Read runs do where there is a database; none is made.
	Read(ctx context.Context, do func(context.Context, *sql.DB) error) error
	// Write runs do in a transaction, which has not happened where do fails.
	Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error
}

// schema is the table. Moments are nanoseconds since 1970, 0 is unknown.
//
//   - run is 0 for a cascade that waits to be archived; else it is the moment at which
//     clean, or its undo, began. Of such a run, the row without an id says that it has
//     not come to its end.
//   - begun is when it was put here or a server was told, ended when that had
//     answered, touched when a person had touched the cascade last.
const schema = `CREATE TABLE IF NOT EXISTS cascade (
	run     INTEGER NOT NULL,
	variant TEXT NOT NULL,
	id      TEXT NOT NULL,
	state   TEXT NOT NULL,
	begun   INTEGER NOT NULL,
	ended   INTEGER NOT NULL DEFAULT 0,
	touched INTEGER NOT NULL DEFAULT 0,
	UNIQUE (run, variant, id)
) STRICT`

// The states.
const (
	waiting   = "waiting"   // to be archived, since its prompt did not get to it
	archiving = "archiving" // by a run of clean, which may have been killed at it
	archived  = "archived"
	undone    = "undone"   // archived once, and put back since
	noted     = "noted"    // archived by a run that nobody can take back
	restored  = "restored" // by an undo
	running   = "running"  // of a run, which may have been killed
	cut       = "cut"      // of a run that was interrupted
)

// Table is the table. It may be used from several goroutines at once.
type Table struct {
	room Room
	dir  string
	now  func() time.Time

	mu    sync.Mutex // guards taken
	taken bool       // the files of the first edition, if there were any
}

// New returns the table of a room. What earlier versions of Windsock kept in files
// of stateDir is taken over.
func New(room Room, stateDir string, now func() time.Time) *Table {
	return &Table{room: room, dir: stateDir, now: now}
}

// Waiting is a cascade that is still to be archived.
type Waiting struct {
	// Variant is the short name of the editor that it belongs to.
	Variant, ID string
	// At is since when.
	At time.Time
}

// Add notes a cascade that is to be archived; one that is noted stays as it is.
func (t *Table) Add(ctx context.Context, variant, id string) error {
	if variant == "" || len(variant) > 64 || !ValidID(id) {
		return errors.New("note cascade: not an id")
	}
	return t.exec(ctx, "INSERT OR IGNORE INTO cascade (run, variant, id, state, begun) VALUES (0, ?, ?, ?, ?)", variant, id, waiting, nano(t.now()))
}

// Remove takes a cascade out that was to be archived.
func (t *Table) Remove(ctx context.Context, variant, id string) error {
	return t.exec(ctx, "DELETE FROM cascade WHERE run = 0 AND variant = ? AND id = ?", variant, id)
}

// Waiting are the cascades that are still to be archived, in the order in which they
// came.
func (t *Table) Waiting(ctx context.Context) (all []Waiting, err error) {
	err = t.read(ctx, func(ctx context.Context, db *sql.DB) error {
		all = nil
		return scan(ctx, db, func(rows *sql.Rows) error {
			var w Waiting
			var at int64
			err := rows.Scan(&w.Variant, &w.ID, &at)
			w.At = moment(at)
			all = append(all, w)
			return err
		}, "SELECT variant, id, begun FROM cascade WHERE run = 0 ORDER BY begun, rowid")
	})
	return all, err
}

// read reads where there is a table.
func (t *Table) read(ctx context.Context, do func(context.Context, *sql.DB) error) error {
	if err := t.takeOver(ctx); err != nil {
		return err
	}
	return t.room.Read(ctx, func(ctx context.Context, db *sql.DB) error {
		var n int
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'cascade'").Scan(&n)
		if err != nil || n == 0 {
			return err
		}
		return do(ctx, db)
	})
}

func (t *Table) write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if err := t.takeOver(ctx); err != nil {
		return err
	}
	return t.room.Write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, schema); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

// exec writes by one statement.
func (t *Table) exec(ctx context.Context, statement string, values ...any) error {
	return t.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return exec(ctx, tx, statement, values...) })
}

func exec(ctx context.Context, tx *sql.Tx, statement string, values ...any) error {
	if _, err := tx.ExecContext(ctx, statement, values...); err != nil {
		return fmt.Errorf("note cascade: %w", err)
	}
	return nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, values ...any) (*sql.Rows, error)
}

func scan(ctx context.Context, from querier, each func(*sql.Rows) error, query string, values ...any) error {
	rows, err := from.QueryContext(ctx, query, values...)
	if err != nil {
		return fmt.Errorf("look up cascades: %w", err)
	}
	defer func() { _ = rows.Close() }() // it was only read
	for rows.Next() {
		if err := each(rows); err != nil {
			return fmt.Errorf("look up cascades: %w", err)
		}
	}
	return rows.Err()
}

func nano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// ValidID reports whether an id can be part of a file's name. Those of the servers
// are UUIDs.
func ValidID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}
