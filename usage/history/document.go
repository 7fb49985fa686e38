package history

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
)

// document is the value under a name, nil when there is none.
func (s *Store) document(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	err := s.db.QueryRowContext(ctx, "SELECT value FROM document WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if value == nil && err == nil {
		value = []byte{} // an empty one is there all the same
	}
	return value, err
}

func (s *Store) replaceDocument(ctx context.Context, name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	before, err := s.document(ctx, name)
	if err != nil || (before != nil && bytes.Equal(before, value)) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO document (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}
