package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"windsock/probe/simulator"
)

// key is the API key of the account that is signed in.
const key = "sk-ws-01-soak-test-key"

// signIn is the state.vscdb of each home.
type signIn struct{ dirs []string }

func (s signIn) each(do func(dir string) error) error {
	errs := make([]error, 0, len(s.dirs))
	for _, dir := range s.dirs {
		errs = append(errs, do(dir))
	}
	return errors.Join(errs...)
}

// write signs in, in one of the forms that a key can have.
func (s signIn) write(form string) error {
	return s.each(func(dir string) error {
		return simulator.SignIn(dir, simulator.Auth{
			Key: key, Blob: form == "blob", Wide: form == "wide", WAL: form == "wal",
		})
	})
}

func (s signIn) begin(ctx context.Context, next step) (end func() error, err error) {
	switch next.kind {
	case rewritten:
		return func() error { return nil }, s.write(next.what)
	case locked:
		var ends []func() error
		err := s.each(func(dir string) error {
			end, err := lock(ctx, database(dir))
			if err == nil {
				ends = append(ends, end)
			}
			return err
		})
		return func() error {
			errs := make([]error, 0, len(ends))
			for _, end := range ends {
				errs = append(errs, end())
			}
			return errors.Join(errs...)
		}, err
	case gone:
		return func() error { return s.write("plain") }, s.each(func(dir string) error {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(database(dir) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					return fmt.Errorf("sign out: %w", err)
				}
			}
			return nil
		})
	default:
		return nil, fmt.Errorf("sign-in: no way to do %q", next.kind)
	}
}

func database(dir string) string { return filepath.Join(dir, "User", "globalStorage", "state.vscdb") }

// lock writes into a database without committing it, which end takes back.
func lock(ctx context.Context, path string) (end func() error, err error) {
	ctx = context.WithoutCancel(ctx) // the end of ctx would roll back what end does
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=exclusive&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, fmt.Errorf("lock database: %w", err)
	}
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock database: %w", err), db.Close())
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO ItemTable VALUES ('soak', 'uncommitted')")
	end = func() error { return errors.Join(tx.Rollback(), db.Close()) }
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock database: %w", err), end())
	}
	return end, nil
}
