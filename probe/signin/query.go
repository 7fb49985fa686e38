package signin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
)

const (
	// maxValue is more than ten times what a sign-in with its list of models holds.
	maxValue = 4 << 20
	// maxValues is for all rows of a query together.
	maxValues = 4 * maxValue
)

// Of SQLite: the limit of what is read, be it a value, a key or a row, and the result
// code for what is longer.
const (
	sqliteLimitLength = 0
	sqliteTooBig      = 18
)

// errTooMuch says that the values are too long, or too many of them.
var errTooMuch = errors.New("it holds far more than a sign-in does")

// queryState opens the database for one query and closes it again. The newest
// row comes first: writing a key anew gives it a new rowid. Only a table is asked:
// a view may have no end.
func queryState(ctx context.Context, path, mode string, q stateQuery) (found []stateRow, err error) {
	dsn := url.URL{
		Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path),
		RawQuery: fmt.Sprintf("%s&_pragma=busy_timeout(%d)", mode, busyTimeout.Milliseconds()),
	}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := sqlite.Limit(conn, sqliteLimitLength, maxValue); err != nil {
		return nil, fmt.Errorf("limit values: %w", err)
	}
	var kind string
	err = conn.QueryRowContext(ctx, "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = 'ItemTable' COLLATE NOCASE").Scan(&kind)
	switch {
	case errors.Is(err, sql.ErrNoRows): // which the query will say
	case err != nil:
		return nil, err
	case kind != "table":
		return nil, errors.New("its ItemTable is no table")
	}
	found, err = queryTable(ctx, conn, q)
	if resultCode(err) == sqliteTooBig {
		return nil, errTooMuch
	}
	return found, err
}

func queryTable(ctx context.Context, conn *sql.Conn, q stateQuery) (found []stateRow, err error) {
	// The cast keeps the driver from reading text that is not UTF-8 as UTF-8.
	//nolint:gosec // the conditions are this package's, their values are bound
	statement := "SELECT key, CAST(value AS BLOB) FROM ItemTable WHERE " + q.where + " ORDER BY rowid DESC"
	rows, err := conn.QueryContext(ctx, statement, q.args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	total := 0
	for rows.Next() {
		var row stateRow
		if err := rows.Scan(&row.key, &row.value); err != nil {
			return nil, err
		}
		if total += len(row.key) + len(row.value); total > maxValues {
			return nil, errTooMuch
		}
		found = append(found, row)
	}
	return found, rows.Err()
}
