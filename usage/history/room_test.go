package history

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRoom(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	count := func(ctx context.Context, db *sql.DB) (n int, err error) {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM other").Scan(&n)
		return n, err
	}
	if err := s.Read(t.Context(), func(context.Context, *sql.DB) error { return errors.New("there is a file") }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		err := s.Write(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS other (n INTEGER)")
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT INTO other VALUES (1)")
			}
			return errors.Join(err, want)
		})
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	err := s.Read(t.Context(), func(ctx context.Context, db *sql.DB) error {
		n, err := count(ctx, db)
		equal(t, n, 1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
