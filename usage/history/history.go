// Package history keeps the figures of the meters in one SQLite file. It gives pace
// the samples of the current windows, the command and the window the use of each
// day, and other packages a place for small documents.
//
// Trouble with the file never stops the app. [Store.Record] has no
// error: a full disk, a locked file or a directory that may not be written to
// costs history and a line in the log, and samples wait in memory until the file
// can be written again. A file that is damaged is moved aside, never deleted; one
// that a newer Windsock wrote is left alone.
//
// The file holds figures, times, the names of meters, each account as a hash whose
// salt is made by this installation and never leaves it, and the documents and tables
// that other packages keep here. It holds no e-mail, key, plan or prompt.
//
// # What is kept
//
// A meter's figures are appended when they changed, at most once a minute, and
// every six hours when they did not. After 90 days one sample an hour is left,
// after two years one a day, each time the last one, and always both sides of a
// reset or of a correction, so that the use of no day changes. Seven days after
// it ended a day is closed: its use is stored, by the time zone of then.
//
// # Order
//
// Samples have an order of their own beside their time, the order in which they
// were taken. A clock that is set back gives later samples earlier times, and
// neither changes nor hides the ones before.
//
// All methods of a Store may be called from any goroutine; they take turns. There
// may be several processes on one file, each with one Store: an open file that is
// opened once more by the same process loses its locks.
package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a Store is made of.
type Config struct {
	// Path is the database. It and its directory are made when there is
	// something to write, for the user alone.
	Path string
	// Log gets a line when history is being lost, once for each reason; nil is none.
	Log *slog.Logger
	// Location is where days begin; nil is the machine's.
	Location *time.Location
}

// Store is a history. The zero Store is of no use; see [New].
type Store struct {
	path     string
	log      *slog.Logger
	location *time.Location
	// aside is the sentence about a file that was moved aside, and trouble the one
	// about why the file cannot be used at present.
	aside, trouble atomic.Pointer[string]

	// mu guards everything below, and the file: callers take turns.
	mu     sync.Mutex
	closed bool
	// db is nil while the file is not open. What follows it is read when it is
	// opened.
	db     *sql.DB
	found  fs.FileInfo
	salt   []byte
	meters meterTable
	tidied time.Time

	// logged has the codes of the faults that are in the log, until a use succeeds.
	logged map[string]bool
	// waiting are samples that could not be written yet, oldest first.
	waiting []waiting
}

// New is a store on a file that is opened when it is first needed, and again
// whenever that failed, or when the file was replaced.
func New(c Config) *Store {
	s := &Store{path: c.Path, log: c.Log, location: c.Location, logged: map[string]bool{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.location == nil {
		s.location = time.Local //nolint:gosmopolitan // days are the person's
	}
	return s
}

// Notice is what a person should read, a sentence on each line: that a file was
// moved aside, and, for as long as it is so, why the history is not kept; ""
// mostly. A lock is left out, as it does not last.
func (s *Store) Notice() string {
	var sentences []string
	for _, text := range []*string{s.aside.Load(), s.trouble.Load()} {
		if text != nil {
			sentences = append(sentences, *text)
		}
	}
	return strings.Join(sentences, "\n")
}

// Close writes what waits, if it can be written now, and closes the file. When no
// other process has it open, no -wal and no -shm stay behind. After that
// Record returns nothing, and all others return an error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if len(s.waiting) > 0 {
		_ = s.with(context.Background(), true, func(ctx context.Context) error { return s.write(ctx, time.Time{}) }) // it is in the log
	}
	s.closed = true
	return s.shut()
}

// Salt is this installation's key for [usage.Plan.Key]. It is made with the
// file and stays what it is as long as that does.
func (s *Store) Salt(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var salt []byte
	err := s.with(ctx, true, func(context.Context) error {
		salt = append(salt, s.salt...)
		return nil
	})
	return salt, err
}

// Load is the document of that name, nil when there is none.
func (s *Store) Load(ctx context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var value []byte
	err := s.with(ctx, false, func(ctx context.Context) error {
		err := s.db.QueryRowContext(ctx, "SELECT value FROM document WHERE name = ?", name).Scan(&value)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return value, err
}

// Save keeps a document that is not empty under a name, in place of the one before.
// Nothing is written when that is the same.
func (s *Store) Save(ctx context.Context, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.with(ctx, true, func(ctx context.Context) error {
		_, err := s.db.ExecContext(ctx, `INSERT INTO document (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value != excluded.value`, name, value)
		return err
	})
}
