package history

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"math"
	"time"

	"windsock/usage"
)

// step migrates the schema from one user_version to the next. The person's days begin
// at midnight in the location.
type step func(context.Context, *sql.Tx, *time.Location) error

// steps are all migrations, the oldest first. A released one is never changed; a new
// one is appended.
var steps = []step{begin, addPast}

// begin makes the first schema. Figures are millionths, moments are seconds since 1970,
// NULL is unknown.
func begin(ctx context.Context, tx *sql.Tx, _ *time.Location) error {
	for _, statement := range []string{
		// salt keys the hashes of accounts. closed, hourly and daily are the dates
		// before which days are closed and samples are thinned; tidied is the time of
		// the last such run.
		`CREATE TABLE installation (
			salt   BLOB NOT NULL,
			closed TEXT NOT NULL DEFAULT '',
			hourly TEXT NOT NULL DEFAULT '',
			daily  TEXT NOT NULL DEFAULT '',
			tidied INTEGER NOT NULL DEFAULT 0
		) STRICT`,
		// hash is [usage.Plan.Key].
		`CREATE TABLE account (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE) STRICT`,
		// New meters are added when the file is opened.
		`CREATE TABLE meter (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL) STRICT`,
		`INSERT INTO meter (id, name, unit) VALUES
			(1, 'prompt_credits', 'credits'), (2, 'flex_credits', 'credits'), (3, 'flow_credits', 'credits'),
			(4, 'daily_quota', 'percent'), (5, 'weekly_quota', 'percent'), (6, 'acu', 'acu'), (7, 'extra_usage', 'usd')`,
		// taken is in milliseconds and rises with every row: the order of the samples.
		// The clock showed taken / 1000 - behind; behind is 0 unless the clock was set
		// back. remaining is set when it does not follow from used and total. All rows
		// of one moment are at the end of the table, so that a commit touches one page.
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
		// The use of closed days, by local date.
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

// addPast adds the windows that are over, and makes them of the samples. There, used and
// total are the last figures of a window, used_up is when it was first seen to have
// nothing left, and hours is as written by hoursOf.
func addPast(ctx context.Context, tx *sql.Tx, location *time.Location) error {
	if _, err := tx.ExecContext(ctx, `CREATE TABLE past (
		account INTEGER NOT NULL REFERENCES account,
		meter   INTEGER NOT NULL REFERENCES meter,
		starts  INTEGER NOT NULL,
		ends    INTEGER NOT NULL,
		used    INTEGER NOT NULL,
		total   INTEGER NOT NULL,
		used_up INTEGER,
		hours   BLOB,
		PRIMARY KEY (account, meter, starts)
	) STRICT, WITHOUT ROWID`); err != nil {
		return err
	}
	meters, err := readMeters(ctx, tx, nil)
	if err != nil {
		return err
	}
	all, err := seriesBetween(ctx, tx, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	for _, one := range all {
		samples, _, err := meters.query(ctx, tx, "account = ? AND meter = ? ORDER BY taken", one.account, one.meter)
		if err != nil {
			return err
		}
		windows := windowsOf(samples, location)
		for _, w := range windows[:max(0, len(windows)-1)] { // the last one may not be over
			if err := insertPast(ctx, tx, one, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// migrate runs the missing migrations, all or none. It fails with errNewer when the
// database has more than this version knows.
func migrate(ctx context.Context, db *sql.DB, steps []step, location *time.Location) error {
	version, err := versionOf(ctx, db, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	return transact(ctx, db, func(tx *sql.Tx) error {
		// Another process may have migrated the database in the meantime.
		version, err := versionOf(ctx, tx, len(steps))
		if err != nil {
			return err
		}
		for _, step := range steps[version:] {
			if err := step(ctx, tx, location); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps)))
		return err
	})
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

// meterTable is the table meter: the number of each meter and its meaning.
type meterTable struct {
	ids   map[usage.MeterID]int64
	infos map[int64]usage.MeterInfo
}

// readMeters reads the table, and adds the missing meters to it.
func readMeters(ctx context.Context, q querier, meters []usage.MeterInfo) (meterTable, error) {
	m := meterTable{map[usage.MeterID]int64{}, map[int64]usage.MeterInfo{}}
	add := func(id int64, info usage.MeterInfo) { m.ids[info.ID], m.infos[id] = id, info }
	err := scanEach(ctx, q, func(rows *sql.Rows) error {
		var id int64
		var info usage.MeterInfo
		err := rows.Scan(&id, &info.ID, &info.Unit)
		add(id, info)
		return err
	}, "SELECT id, name, unit FROM meter")
	for _, info := range meters {
		if err != nil || m.ids[info.ID] != 0 {
			continue
		}
		// Another process may have added it in the meantime.
		var id int64
		err = q.QueryRowContext(ctx, "INSERT INTO meter (name, unit) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET unit = unit RETURNING id",
			string(info.ID), string(info.Unit)).Scan(&id)
		add(id, info)
	}
	return m, err
}
