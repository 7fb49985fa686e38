package history

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"

	"windsock/usage"
)

// step brings the schema from one user_version to the next.
type step func(context.Context, *sql.Tx) error

// steps are all of them, the oldest first. One that has been released is never
// changed; a new one goes to the end.
var steps = []step{begin}

// begin makes the first schema. Figures are millionths, moments are seconds
// since 1970, NULL is unknown.
func begin(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range []string{
		// salt keys the hashes of accounts. closed, hourly and daily are the
		// dates before which days are closed and samples are thinned; tidied is
		// when that was last seen to.
		`CREATE TABLE installation (
			salt   BLOB NOT NULL,
			closed TEXT NOT NULL DEFAULT '',
			hourly TEXT NOT NULL DEFAULT '',
			daily  TEXT NOT NULL DEFAULT '',
			tidied INTEGER NOT NULL DEFAULT 0
		) STRICT`,
		`CREATE TABLE account (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE) STRICT`,
		// Meters that came later are put in when the file is opened.
		`CREATE TABLE meter (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL) STRICT`,
		`INSERT INTO meter (id, name, unit) VALUES
			(1, 'prompt_credits', 'credits'), (2, 'flex_credits', 'credits'), (3, 'flow_credits', 'credits'),
			(4, 'daily_quota', 'percent'), (5, 'weekly_quota', 'percent'), (6, 'acu', 'acu'), (7, 'extra_usage', 'usd')`,
		// taken is in milliseconds and rises with every row: the order of the
		// samples. The clock said taken / 1000 - behind; behind is 0 unless it
		// was set back. remaining is there where it does not follow from used
		// and total. All rows of one moment are at the end of the table, so that
		// a commit touches one page.
		`CREATE TABLE sample (
			taken     INTEGER PRIMARY KEY,
			behind    INTEGER NOT NULL,
			account   INTEGER NOT NULL REFERENCES account,
			meter     INTEGER NOT NULL REFERENCES meter,
			used      INTEGER,
			total     INTEGER,
			remaining INTEGER,
			starts    INTEGER,
			ends      INTEGER
		) STRICT`,
		// The use of days that are closed, by local date.
		`CREATE TABLE day (
			account INTEGER NOT NULL REFERENCES account,
			date    TEXT NOT NULL,
			meter   INTEGER NOT NULL REFERENCES meter,
			used    INTEGER NOT NULL,
			PRIMARY KEY (account, date, meter)
		) STRICT, WITHOUT ROWID`,
		`CREATE TABLE document (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	salt := make([]byte, 32)
	_, _ = rand.Read(salt) // never fails
	_, err := tx.ExecContext(ctx, "INSERT INTO installation (salt) VALUES (?)", salt)
	return err
}

// migrate takes the steps that a database has not taken yet, all of them or
// none. The error is errNewer when it has taken more than there are.
func migrate(ctx context.Context, db *sql.DB, steps []step) error {
	version, err := versionOf(ctx, db, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	// Another process may have been quicker.
	if version, err = versionOf(ctx, tx, len(steps)); err != nil {
		return err
	}
	for _, step := range steps[version:] {
		if err := step(ctx, tx); err != nil {
			if codeOf(err) == codeError { // a table that is there already, or is not
				return fmt.Errorf("%w: %w", errUnreadable, err)
			}
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps))); err != nil {
		return err
	}
	return tx.Commit()
}

func versionOf(ctx context.Context, q querier, newest int) (int, error) {
	var version int
	err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	switch {
	case err != nil:
		return 0, err
	case version < 0:
		return 0, fmt.Errorf("%w: version %d", errUnreadable, version)
	case version > newest:
		return 0, errNewer
	}
	return version, nil
}

// meterNames are the meters that the file has numbers for.
type meterNames struct {
	ids   map[usage.MeterID]int64
	names map[int64]usage.MeterID
	units map[int64]usage.Unit
}

func readMeters(ctx context.Context, q querier) (meterNames, error) {
	m := meterNames{map[usage.MeterID]int64{}, map[int64]usage.MeterID{}, map[int64]usage.Unit{}}
	err := scanEach(ctx, q, func(rows *sql.Rows) error {
		var id int64
		var name usage.MeterID
		var unit usage.Unit
		err := rows.Scan(&id, &name, &unit)
		m.ids[name], m.names[id], m.units[id] = id, name, unit
		return err
	}, "SELECT id, name, unit FROM meter")
	return m, err
}

// makeMeters gives each of the meters a number that has none, and reads them all.
func makeMeters(ctx context.Context, db *sql.DB, meters []usage.MeterInfo) (meterNames, error) {
	m, err := readMeters(ctx, db)
	if err != nil {
		return m, err
	}
	added := false
	for _, info := range meters {
		if m.ids[info.ID] != 0 {
			continue
		}
		// Another process may have been quicker.
		const add = "INSERT INTO meter (name, unit) VALUES (?, ?) ON CONFLICT DO NOTHING"
		if _, err := db.ExecContext(ctx, add, string(info.ID), string(info.Unit)); err != nil {
			return m, err
		}
		added = true
	}
	if !added {
		return m, nil
	}
	return readMeters(ctx, db)
}
