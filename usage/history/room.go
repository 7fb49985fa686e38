package history

import (
	"context"
	"database/sql"
	"time"

	"windsock/probe/say"
)

// lockTime is for how long Read and Write try, beside other processes.
const lockTime = 3 * time.Second

// Read lends the database to who keeps a table of their own in it, if there is one.
// do may be called again where the file was locked.
func (s *Store) Read(ctx context.Context, do func(context.Context, *sql.DB) error) error {
	return s.lend(ctx, false, func(ctx context.Context) error { return do(ctx, s.db) })
}

// Write lends a transaction, which has not happened where do fails. It makes the
// file where there is none. Once it has returned, what was written outlives the
// process. do may be called again where the file was locked.
func (s *Store) Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return s.lend(ctx, true, func(ctx context.Context) error {
		return transact(ctx, s.db, func(tx *sql.Tx) error { return do(ctx, tx) })
	})
}

// lend lets others use the store between two tries.
func (s *Store) lend(ctx context.Context, create bool, use func(context.Context) error) error {
	for began := time.Now(); ; {
		s.mu.Lock()
		err := s.with(ctx, create, use)
		s.mu.Unlock()
		if say.Code(err) != errLocked.Code || time.Since(began) > lockTime || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Millisecond) // SQLite has waited, mostly
	}
}
