// Package touched records in one table which cascades Windsock has touched: those of
// prompts that are still to be archived, which of these a process that runs keeps open
// for further prompts, those that clean has archived, for its undo,
// and the times of Windsock's acts, since these are no sign of a person. It stores ids
// and times, but no titles, paths or prompts. Packages cascade and clean decide which
// servers are asked and what is archived.
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
	// Read runs do if there is a database; it makes none.
	Read(ctx context.Context, do func(context.Context, *sql.DB) error) error
	// Write runs do in a transaction, which is rolled back if do fails.
	Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error
}

// schema is the table. Moments are nanoseconds since 1970, 0 is unknown.
//
//   - run is 0 for a cascade that waits to be archived; else it is the moment at which
//     clean, or its undo, began. A run's row without an id says that the run has not
//     ended.
//   - begun is the time of the entry or of a request to a server, ended that of the
//     response, touched that of a person's last touch.
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
	waiting   = "waiting"   // still to be archived: its prompt did not do so
	archiving = "archiving" // by a run of clean, which may have been killed then
	archived  = "archived"
	undone    = "undone"   // archived once, and put back since
	noted     = "noted"    // archived by a run that cannot be undone
	restored  = "restored" // by an undo
	running   = "running"  // state of a run, which may have been killed
	cut       = "cut"      // state of an interrupted run
)

// Table is the table. It may be used from several goroutines at once.
type Table struct {
	room Room
	dir  string
	now  func() time.Time

	mu    sync.Mutex // guards taken
	taken bool       // the files of the first edition, if there were any

	holding sync.Mutex // guards holder
	holder  *holder    // nil while this process keeps nothing open
}

// New returns the table of a room. It takes over the files of earlier versions of
// Windsock in stateDir.
func New(room Room, stateDir string, now func() time.Time) *Table {
	return &Table{room: room, dir: stateDir, now: now}
}

// AgentPrefix begins the Variant of an agent's session, which only an agent of that
// name can delete. It begins no editor's short name.
const AgentPrefix = "agent-"

// Waiting is a cascade that is still to be archived, or an agent's session that is still
// to be deleted.
type Waiting struct {
	// Variant is the short name of the cascade's editor, or AgentPrefix and the engine.
	Variant, ID string
	// At is when it began to wait.
	At time.Time
	// Prompts is how many prompts of Windsock's it has had.
	Prompts int
	// Held says that a Windsock that runs keeps it open for further ones.
	Held bool
}

// Add notes a cascade that is to be archived. A second Add changes nothing.
func (t *Table) Add(ctx context.Context, variant, id string) error {
	if variant == "" || len(variant) > 64 || !ValidID(id) {
		return errors.New("note cascade: not an id")
	}
	return t.exec(ctx, "INSERT OR IGNORE INTO cascade (run, variant, id, state, begun) VALUES (0, ?, ?, ?, ?)", variant, id, waiting, nano(t.now()))
}

// Remove removes a cascade that was to be archived.
func (t *Table) Remove(ctx context.Context, variant, id string) error {
	t.letGo(variant, id)
	return t.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, "DELETE FROM held WHERE variant = ? AND id = ?", variant, id); err != nil {
			return err
		}
		return exec(ctx, tx, "DELETE FROM cascade WHERE run = 0 AND variant = ? AND id = ?", variant, id)
	})
}

// Waiting returns the cascades that are still to be archived, in the order of their
// arrival.
func (t *Table) Waiting(ctx context.Context) (all []Waiting, err error) {
	var holders []string
	err = t.read(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		all, holders, err = waitingIn(ctx, db)
		return err
	})
	for i, name := range holders {
		all[i].Held = t.lives(name)
	}
	return all, err
}

// read reads if there is a table.
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
		for _, table := range []string{schema, heldSchema} {
			if err := exec(ctx, tx, table); err != nil {
				return err
			}
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

// ValidID reports whether an id can be part of a file's name. Servers use UUIDs.
func ValidID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}
