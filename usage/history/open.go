package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"windsock/usage"
)

// pageSize is the page size of a new file, in bytes.
const pageSize = 1024

// settings apply to every connection.
//
//   - synchronous NORMAL: a commit is in the -wal when it returns, so that it
//     outlives the process. It reaches the disk at the next checkpoint, so that a
//     power cut may lose the last commits. They are samples of a counter, and the
//     next one makes up for them.
//   - pages of 1 KB: a commit writes whole pages, and one of ours is 150 bytes.
//   - a checkpoint for every 256 pages: once or twice a day.
//   - a cache of 256 KB: the app holds it all day.
//   - 200 ms for a lock: the caller is about to show figures.
var settings = url.Values{
	"mode":          {"rw"},
	"_txlock":       {"immediate"},
	"_journal_mode": {"WAL"}, // after the pragmas: it fixes the page size
	"_pragma": {
		"busy_timeout(200)", fmt.Sprintf("page_size(%d)", pageSize), "synchronous(NORMAL)", "wal_autocheckpoint(256)",
		"journal_size_limit(524288)", "cache_size(-256)", "trusted_schema(OFF)",
	},
}

// with runs use on the open file. The caller holds mu. Without create, a missing file
// is no error, and use is not called. A damaged file is moved aside, and use runs once
// more, on a new one.
func (s *Store) with(ctx context.Context, create bool, use func(context.Context) error) error {
	if s.closed {
		return errClosed
	}
	try := func() error {
		if err := s.open(ctx, create); err != nil {
			return err
		}
		return use(ctx)
	}
	err := try()
	if err != nil && faultOf(err) == errUnreadable {
		if aside := s.moveAside(time.Now()); aside != nil {
			err = errors.Join(err, aside)
		} else {
			err = try()
		}
	}
	if errors.Is(err, errAbsent) {
		return nil
	}
	if fault := faultOf(err); err != nil && (fault == errDenied || fault == errBroken) {
		err = errors.Join(err, tryWriting(s.path)) // SQLite does not tell a read-only disk
	}
	s.report(ctx, err)
	return wrap(err)
}

// open opens the file, unless the file at the path is already open.
func (s *Store) open(ctx context.Context, create bool) error {
	info, err := os.Stat(s.path)
	if s.db != nil {
		if err == nil && os.SameFile(info, s.found) {
			return nil
		}
		// The file was removed. Its -wal may still lie at the path, where SQLite would
		// take it for a part of another file.
		_, _ = s.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = s.shut()
	}
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return errAbsent
		}
		if info, err = makeFile(s.path); err != nil && s.found != nil && isMissing(filepath.Dir(s.path)) {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
	}
	if err != nil {
		return err
	}
	s.found = info
	if err := check(s.path, info); err != nil {
		return err
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(s.path), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	s.db = db
	err = s.prepare(ctx)
	if errors.Is(err, sql.ErrNoRows) || codeOf(err) == sqlite3.SQLITE_ERROR { // a table or a row is missing
		err = fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err == nil && info.Size()%pageSize != 0 {
		err = s.inspect(ctx)
	}
	if err != nil {
		_ = s.shut() // err has the cause
	}
	return err
}

// shut closes the file.
func (s *Store) shut() error {
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return wrap(err)
}

// prepare migrates the schema, checks it against this version, and reads what every use
// needs.
func (s *Store) prepare(ctx context.Context) error {
	if err := migrate(ctx, s.db, steps, s.location); err != nil {
		return err
	}
	var tidied int64
	row := s.db.QueryRowContext(ctx, "SELECT salt, tidied FROM installation")
	if err := row.Scan(&s.salt, &tidied); err != nil {
		return err
	}
	s.tidied = time.Unix(tidied, 0)
	var err error
	if s.meters, err = readMeters(ctx, s.db, usage.Meters()); err != nil {
		return err
	}
	var rows int64
	return s.db.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM (SELECT taken, behind, account, meter, used, total, remaining, starts, ends FROM sample ORDER BY taken DESC LIMIT 1)) +
		(SELECT count(*) FROM (SELECT id, hash FROM account LIMIT 1)) +
		(SELECT count(*) FROM (SELECT date, account, meter, used FROM day LIMIT 1)) +
		(SELECT count(*) FROM (SELECT account, meter, starts, ends, used, total, used_up, hours FROM past LIMIT 1)) +
		(SELECT count(*) FROM (SELECT name, value FROM document LIMIT 1))`).Scan(&rows)
}

// inspect checks the structure of the whole file. A file that ends within a page may be
// truncated, which SQLite reads as zeros, or left by a checkpoint on a full disk, which
// the -wal makes good.
func (s *Store) inspect(ctx context.Context) error {
	var found string
	if err := s.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil || found == "ok" {
		return err
	}
	return fmt.Errorf("%w: %s", errUnreadable, found)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// makeFile makes an empty file, which is an empty database, for the user alone.
func makeFile(path string) (fs.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}

// tryWriting returns the system's own error for a file that cannot be opened to be
// written.
func tryWriting(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// check inspects a file before SQLite opens it. SQLite would wait for a pipe, widen
// others' read access, and change the mode of a newer version's file.
func check(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no regular file", errUnreadable)
	}
	if info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600) // another user's file opens as it is or not at all
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(path, 0o600) == nil {
		file, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	var header [64]byte
	if _, err := io.ReadFull(file, header[:]); err != nil {
		return nil // SQLite judges a short file
	}
	version := binary.BigEndian.Uint32(header[60:])
	if strings.HasPrefix(string(header[:]), "SQLite format 3\x00") && int64(version) > int64(len(steps)) && version < 1<<31 {
		return errNewer
	}
	return nil
}
