package signin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"
	"unicode/utf16"

	"modernc.org/sqlite"

	"windsock/probe/redact"
)

// Reading a database that the editor has open. What each mode yields, per
// state of the file, was tried out with a C SQLite as the writer:
//
//   - mode=ro sees committed rows of a -wal, and waits for a lock; it cannot
//     roll back a hot journal, and on a WAL database that nobody has open it
//     leaves a -wal and a -shm behind.
//   - immutable=1 leaves nothing behind, but ignores a -wal and takes
//     uncommitted pages for good.
//   - a copy of the file and its -wal or -journal is recovered like after a
//     crash, without a trace at the original.
//
// So: immutable only for a WAL database without a -wal, mode=ro where others
// have it open or it has no WAL, and a copy for all that is left.

// busyTimeout is how long a reader waits for a writer's lock.
const busyTimeout = 300 * time.Millisecond

// Ways to open a database, as parameters of its URI.
const (
	modeReadOnly  = "mode=ro"
	modeReadWrite = "mode=rw"
	modeImmutable = "mode=ro&immutable=1"
)

// SQLite's result codes that a copy can help against.
const (
	sqliteBusy     = 5
	sqliteReadOnly = 8
	sqliteCantOpen = 14
)

// readTimeout is for one database, with all copies of it.
const readTimeout = 5 * time.Second

// errNoValue says that the database can be read and has no such key.
var errNoValue = errors.New("no such key")

// stateRow is a key of the table and its value, as the bytes that are stored:
// TEXT or BLOB, in whatever encoding (PROTOCOL.md 5.1).
type stateRow struct {
	key   string
	value []byte
}

// stateQuery chooses rows of the table.
type stateQuery struct {
	where string
	args  []any
}

// stateReader reads a database that may be written to at any moment.
type stateReader struct {
	path   string
	copies []string // where a copy may lie
	query  func(ctx context.Context, path, mode string, q stateQuery) ([]stateRow, error)
	copy   func(from, to string) error
}

func newStateReader(path string, copies []string) stateReader {
	return stateReader{path: path, copies: copies, query: queryState, copy: copyState}
}

// value returns the value of a key. The errors are errNoValue, fs.ErrNotExist, or
// say why the file cannot be read.
func (r stateReader) value(ctx context.Context, key string) ([]byte, error) {
	rows, err := r.read(ctx, stateQuery{"key = ?", []any{key}})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoValue
	}
	return rows[0].value, nil
}

// read returns the rows as they were at one moment, and nothing that was not
// committed then.
func (r stateReader) read(ctx context.Context, q stateQuery) ([]stateRow, error) {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, err := r.readUntil(bounded, q)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return nil, errors.New("it took too long to read")
	}
	return rows, err
}

func (r stateReader) readUntil(ctx context.Context, q stateQuery) ([]stateRow, error) {
	before := stampState(r.path) // older than the choice of the mode
	mode, err := stateMode(r.path)
	if err != nil {
		return nil, err
	}
	if mode != "" {
		rows, err := r.query(ctx, r.path, mode, q)
		// Immutable is a promise that only the past can keep.
		broken := mode == modeImmutable && !before.same(stampState(r.path))
		if !wantsCopy(err) && !broken {
			return rows, err
		}
	}
	return r.readCopy(ctx, q)
}

// stateMode chooses how to open the database in place, "" for not at all.
func stateMode(path string) (string, error) {
	file, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var header [20]byte
	if _, err := io.ReadFull(file, header[:]); err != nil {
		return "", errors.New("the file is too short for a database")
	}
	if !bytes.HasPrefix(header[:], []byte("SQLite format 3\x00")) {
		return "", errors.New("the file is no database")
	}
	// SQLite would open what is there, and opening a pipe waits for its other end.
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return "", errors.New("its " + suffix + " is no regular file")
		}
	}
	wal, shm, journal := fileSize(path+"-wal"), fileSize(path+"-shm"), fileSize(path+"-journal")
	rollback := header[18] == 1 // by the file format; else it has a WAL
	switch {
	case rollback && wal < 0: // a hot journal is refused
		return modeReadOnly, nil
	case !rollback && wal <= 0 && journal <= 0:
		return modeImmutable, nil
	case !rollback && wal > 0 && shm >= 0:
		return modeReadOnly, nil
	default: // left by a crash: opening it would make files
		return "", nil
	}
}

// openRegular opens a file for reading and refuses what a read could hang on.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, redact.Path(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	return file, redact.Path(err)
}

// fileSize is -1 for a file that is not there.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

func wantsCopy(err error) bool {
	switch resultCode(err) {
	case sqliteBusy, sqliteReadOnly, sqliteCantOpen:
		return true
	}
	return false
}

// resultCode is SQLite's own, 0 for what is not from there.
func resultCode(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return 0
}

// decodeText turns a stored value into UTF-8. The editor writes UTF-8; UTF-16LE
// without a mark has been seen too, and is told by the zero behind its first
// character, which in JSON is ASCII (PROTOCOL.md 5.1).
func decodeText(value []byte) []byte {
	if rest, ok := bytes.CutPrefix(value, []byte{0xef, 0xbb, 0xbf}); ok {
		return rest
	}
	rest, marked := bytes.CutPrefix(value, []byte{0xff, 0xfe})
	if !marked && (len(value) < 2 || value[0] == 0 || value[1] != 0) {
		return value
	}
	units := make([]uint16, len(rest)/2) // half a unit at the end is passed over
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(rest[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
