package signin

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"windsock/probe/files"
	"windsock/probe/redact"
)

// How to read a database that the editor has open. The result of each mode, for
// each state of the file, was tested with a C SQLite as the writer:
//
//   - mode=ro sees committed rows of a -wal, and waits for a lock; it cannot
//     roll back a hot journal, and it leaves a -wal and a -shm behind beside a
//     WAL database that no other process has open.
//   - immutable=1 leaves nothing behind, but ignores a -wal and reads
//     uncommitted pages as committed.
//   - a copy of the file and its -wal or -journal recovers as after a crash and
//     leaves the original unchanged.
//
// So: immutable only for a WAL database without a -wal, mode=ro if another process
// has it open or it has no WAL, and a copy in all other states.
const (
	modeReadOnly  = "mode=ro"
	modeReadWrite = "mode=rw"
	modeImmutable = "mode=ro&immutable=1"
)

const (
	// busyTimeout is how long a reader waits for a writer's lock.
	busyTimeout = 300 * time.Millisecond
	// readTimeout bounds the work on one database, with all copies of it.
	readTimeout = 5 * time.Second
	// maxValue is more than ten times the size of a sign-in with its list of models.
	// maxValues bounds all rows of a query.
	maxValue  = 4 << 20
	maxValues = 4 * maxValue
)

// Numbers of SQLite: result codes, and the limit for the size of a value, a key or a
// row.
const (
	sqliteBusy        = 5
	sqliteReadOnly    = 8
	sqliteCantOpen    = 14
	sqliteTooBig      = 18
	sqliteLimitLength = 0
)

// Faults of a database, besides those that the system and SQLite report.
var (
	errNoValue    = errors.New("no such key") // the database is readable
	errNoDatabase = errors.New("the file is no database")
	errNoTable    = errors.New("its ItemTable is no table")
	errTooMuch    = errors.New("it holds far more than a sign-in does")
	errTooSlow    = errors.New("it took too long to read")
	errChanges    = errors.New("the database changes all the time")
)

// database is a state.vscdb, which other processes may write to at any moment.
type database struct {
	path   string
	copies []string // directories for a copy, which uses the first writable one
}

func (d Dirs) database(dir string) database { return database{statePath(d.Config, dir), d.copies} }

// row is a key of the table and its value, as the stored bytes: TEXT or BLOB, in any
// encoding (PROTOCOL.md 5.1). An encrypted value is nil.
type row struct {
	key   string
	value []byte
}

// value returns the value of a key. The error is errNoValue, fs.ErrNotExist, or why the
// file cannot be read.
func (d database) value(ctx context.Context, key string) ([]byte, error) {
	rows, err := d.rows(ctx, "key = ?", key)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoValue
	}
	return rows[0].value, nil
}

// rows returns the rows that meet a condition, the newest first, all as of one moment:
// nothing that was not committed then.
func (d database) rows(ctx context.Context, where string, args ...any) ([]row, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTimeout, errTooSlow)
	defer cancel()
	rows, err := d.read(ctx, where, args)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return rows, err
}

// read reads the database in place if it can, else a copy of it.
func (d database) read(ctx context.Context, where string, args []any) ([]row, error) {
	before := stampOf(d.path) // taken before the mode is chosen
	mode, err := d.mode()
	if err != nil {
		return nil, err
	}
	if mode != "" {
		rows, err := query(ctx, d.path, mode, where, args)
		changed := mode == modeImmutable && before != stampOf(d.path)
		switch resultCode(err) {
		case sqliteBusy, sqliteReadOnly, sqliteCantOpen: // a copy can help
		default:
			if !changed {
				return rows, err
			}
		}
	}
	return d.readCopy(ctx, where, args)
}

// mode chooses how to open the database in place; "" means not in place.
func (d database) mode() (string, error) {
	file, err := openRegular(d.path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var header [20]byte
	if _, err := io.ReadFull(file, header[:]); err != nil || !bytes.HasPrefix(header[:], []byte("SQLite format 3\x00")) {
		return "", errNoDatabase
	}
	size := map[string]int64{}
	// SQLite would open these files, and opening a pipe blocks.
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		info, err := os.Stat(d.path + suffix)
		switch {
		case err != nil:
			size[suffix] = -1
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("its %s: %w", suffix, files.ErrNotRegular)
		default:
			size[suffix] = info.Size()
		}
	}
	rollback := header[18] == 1 // from the file format; otherwise it has a WAL
	switch {
	case rollback && size["-wal"] < 0: // SQLite refuses a hot journal
		return modeReadOnly, nil
	case !rollback && size["-wal"] <= 0 && size["-journal"] <= 0:
		return modeImmutable, nil
	case !rollback && size["-wal"] > 0 && size["-shm"] >= 0:
		return modeReadOnly, nil
	default: // after a crash: opening it would create files
		return "", nil
	}
}

// query opens a database for one query and closes it again. Writing a key again gives
// it a new rowid. It reads a table only: a view may be endless.
func query(ctx context.Context, path, mode, where string, args []any) (found []row, err error) {
	defer func() {
		if resultCode(err) == sqliteTooBig {
			err = errTooMuch
		}
	}()
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
	case errors.Is(err, sql.ErrNoRows): // the query below reports it
	case err != nil:
		return nil, err
	case kind != "table":
		return nil, errNoTable
	}
	// The cast keeps the driver from treating text that is not UTF-8 as UTF-8. What is
	// encrypted is not even read.
	//nolint:gosec // the conditions are this package's, their values are bound
	rows, err := conn.QueryContext(ctx, "SELECT key, CASE WHEN key GLOB 'secret://*' THEN NULL ELSE CAST(value AS BLOB) END FROM ItemTable WHERE "+where+" ORDER BY rowid DESC", args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	total := 0
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.key, &r.value); err != nil {
			return nil, err
		}
		if total += len(r.key) + len(r.value); total > maxValues {
			return nil, errTooMuch
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// resultCode is SQLite's own code; 0 for other errors.
func resultCode(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return 0
}

// openRegular opens a file for reading. It refuses those on which a read could block.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, redact.Path(err)
	}
	if !info.Mode().IsRegular() {
		return nil, files.ErrNotRegular
	}
	file, err := os.Open(path)
	return file, redact.Path(err)
}
