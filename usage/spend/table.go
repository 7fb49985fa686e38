package spend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"windsock/usage"
)

// schema are the tables. Costs are millionths, moments are seconds since 1970, NULL is
// unknown. Days are numbers of local dates, 0 is 1970-01-01.
//
//   - spent_plan has [usage.Plan.Key], and when all that is new was last read, 0 before.
//   - spent_name numbers the ids of cascades and the UIDs of models; "" is unknown.
//   - spent_step has a row a step that counts, in the order of time. mark is the best of
//     its marks. prompt and answer are 0 or 1.
//   - spent_day has the sums of the steps that were folded, and spent_mark their marks,
//     so that none of them is counted again.
//   - spent_cascade says how far a cascade was read: see [cursor].
var schema = []string{
	`CREATE TABLE IF NOT EXISTS spent_plan (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, read INTEGER NOT NULL) STRICT`,
	`CREATE TABLE IF NOT EXISTS spent_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT`,
	`CREATE TABLE IF NOT EXISTS spent_step (
		plan    INTEGER NOT NULL,
		at      INTEGER NOT NULL,
		mark    INTEGER NOT NULL UNIQUE,
		cascade INTEGER NOT NULL,
		model   INTEGER NOT NULL,
		prompt  INTEGER NOT NULL,
		answer  INTEGER NOT NULL,
		credits INTEGER, acu INTEGER, quota INTEGER, overage INTEGER,
		input   INTEGER, output INTEGER, cached INTEGER,
		PRIMARY KEY (plan, at, mark)
	) STRICT, WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS spent_day (
		plan    INTEGER NOT NULL,
		day     INTEGER NOT NULL,
		cascade INTEGER NOT NULL,
		model   INTEGER NOT NULL,
		prompts INTEGER NOT NULL,
		answers INTEGER NOT NULL,
		unknown INTEGER NOT NULL,
		credits INTEGER, acu INTEGER, quota INTEGER, overage INTEGER,
		input   INTEGER, output INTEGER, cached INTEGER,
		PRIMARY KEY (plan, day, cascade, model)
	) STRICT, WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS spent_mark (mark INTEGER PRIMARY KEY) STRICT`,
	`CREATE TABLE IF NOT EXISTS spent_cascade (
		cascade  INTEGER PRIMARY KEY,
		modified INTEGER NOT NULL,
		steps    INTEGER NOT NULL,
		next     INTEGER NOT NULL,
		known    INTEGER NOT NULL,
		at       INTEGER NOT NULL
	) STRICT`,
}

// cursor says how far a cascade was read.
type cursor struct {
	// modified, in nanoseconds, 0 if it is not told, and steps are the listing's.
	modified, steps int64
	// next is the index from which steps may be new, or may still change.
	next int
	// known is the look of the step before next, and at its time.
	known, at int64
}

// read runs do if there are tables.
func (b *Book) read(ctx context.Context, do func(context.Context, *sql.DB) error) error {
	return b.config.Room.Read(ctx, func(ctx context.Context, db *sql.DB) error {
		var n int
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'spent_cascade'").Scan(&n)
		if err == nil && n > 0 {
			err = do(ctx, db)
		}
		return wrap("look up spending", err)
	})
}

// write runs do in a transaction in which there are tables.
func (b *Book) write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return b.config.Room.Write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, table := range schema {
			if _, err := tx.ExecContext(ctx, table); err != nil {
				return wrap("keep spending", err)
			}
		}
		return wrap("keep spending", do(ctx, tx))
	})
}

func wrap(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// readCursors are the cursors of all cascades, by id.
func (b *Book) readCursors(ctx context.Context) (map[string]cursor, error) {
	all := map[string]cursor{}
	err := b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		clear(all)
		return scan(ctx, db, func(rows *sql.Rows) error {
			var id string
			var c cursor
			err := rows.Scan(&id, &c.modified, &c.steps, &c.next, &c.known, &c.at)
			all[id] = c
			return err
		}, "SELECT name, modified, steps, next, known, at FROM spent_cascade JOIN spent_name ON id = cascade")
	})
	return all, err
}

// planOf is the number of the plan with a key, which was read at a time, in seconds; 0 is
// not yet.
func planOf(ctx context.Context, tx *sql.Tx, key string, read int64) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO spent_plan (key, read) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET
			read = CASE WHEN excluded.read > 0 AND read > excluded.read + ? THEN excluded.read ELSE max(read, excluded.read) END
		RETURNING id`, key, read, int64(clockSlack/time.Second)).Scan(&id)
	return id, err
}

// names numbers names, and remembers them for the time of a transaction.
type names struct {
	tx    *sql.Tx
	known map[string]int64
}

func (n names) id(ctx context.Context, name string) (id int64, err error) {
	if id, ok := n.known[name]; ok {
		return id, nil
	}
	err = n.tx.QueryRowContext(ctx, "SELECT id FROM spent_name WHERE name = ?", name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = n.tx.QueryRowContext(ctx, "INSERT INTO spent_name (name) VALUES (?) RETURNING id", name).Scan(&id)
	}
	n.known[name] = id
	return id, err
}

// scan calls each for each row.
func scan(ctx context.Context, db *sql.DB, each func(*sql.Rows) error, query string, values ...any) error {
	rows, err := db.QueryContext(ctx, query, values...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // it was only read
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// most is the largest figure that a step can mean, about a million: sums of such do not
// overflow.
const most = 1 << 40

func stored(a usage.Amount) any {
	n, known := a.Micros()
	return storedCount(n, known)
}

func count(n *int64) any {
	if n == nil {
		return nil
	}
	return storedCount(*n, true)
}

func storedCount(n int64, known bool) any {
	if !known || n < 0 || n > most {
		return nil
	}
	return n
}
