package history

import (
	"context"
	"database/sql"
	"time"

	"windsock/probe/say"
)

// lockTime is how long Read and Write retry while the file is locked.
const lockTime = 3 * time.Second

// Read lends the database, if there is one, to a package with a table of its own. It
// may call do again when the file was locked.
func (s *Store) Read(ctx context.Context, do func(context.Context, *sql.DB) error) error {
	return s.lend(ctx, false, func(ctx context.Context) error { return do(ctx, s.db) })
}

// Write lends a transaction, which is rolled back when do fails. It makes a missing
// file. Once it has returned, the written data outlives the process. It may call do
// again when the file was locked.
func (s *Store) Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return s.lend(ctx, true, func(ctx context.Context) error {
		return transact(ctx, s.db, func(tx *sql.Tx) error { return do(ctx, tx) })
	})
}

// lend lets other callers use the store between two tries.
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
