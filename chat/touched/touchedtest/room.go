// Package touchedtest has a table for tests, in a database of its own.
package touchedtest

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"windsock/chat/touched"
)

// Room is a database in a file. Read and Write fail with ReadErr and WriteErr if these
// are set.
type Room struct {
	Path              string
	ReadErr, WriteErr error
}

// New returns a table in a state directory.
func New(tb testing.TB, stateDir string, now func() time.Time) *touched.Table {
	tb.Helper()
	return touched.New(&Room{Path: filepath.Join(stateDir, "test.db")}, stateDir, now)
}

// Read opens the database, which has to exist.
func (r *Room) Read(ctx context.Context, do func(context.Context, *sql.DB) error) error {
	if _, err := os.Stat(r.Path); r.ReadErr != nil || errors.Is(err, fs.ErrNotExist) {
		return r.ReadErr
	}
	return r.open(func(db *sql.DB) error { return do(ctx, db) })
}

// Write makes the database if it is missing.
func (r *Room) Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if r.WriteErr != nil {
		return r.WriteErr
	}
	if err := os.MkdirAll(filepath.Dir(r.Path), 0o700); err != nil {
		return err
	}
	return r.open(func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := do(ctx, tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	})
}

func (r *Room) open(do func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", r.Path+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(OFF)")
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}
