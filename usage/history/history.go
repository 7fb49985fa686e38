// Package history keeps what the meters said, in one SQLite file, and tells it
// again: to pace the samples of the current windows, to a person the use of each
// day, to the alerts what they have told already.
//
// A [Store] never stands in the way of what it serves. [Store.Record] has no
// error: a full disk, a locked file or a directory that may not be written to
// costs history and a line in the log, and samples wait in memory until the file
// can be written again. A file that is damaged is moved aside, never deleted; one
// that a newer Windsock wrote is left alone.
//
// What stands in the file: figures, moments, the names of meters, an account as
// a keyed hash whose key is made by this installation and known to nobody else,
// and the documents and tables that other packages keep here. No e-mail, key, plan or
// prompt.
//
// # What is kept
//
// A meter's figures are appended when they changed, at most once a minute, and
// every six hours when they did not. After 90 days one sample an hour is left,
// after two years one a day, each time the last one, and always both sides of a
// reset or of a correction, so that the use of no day changes. Seven days after
// it ended a day is closed: what was used on it is written down, in the time zone
// in which it was lived.
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
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// Config is what a Store is made of.
type Config struct {
	// Path is the database. It and its directory are made when there is
	// something to write, for the user alone.
	Path string
	// Log is told, once for each kind, why history is being lost; nil is nobody.
	Log *slog.Logger
	// Location is where days begin; nil is the machine's.
	Location *time.Location
}

// Store is a history. The zero Store is of no use; see [New].
type Store struct {
	path     string
	log      *slog.Logger
	location *time.Location
	// aside is what is said of a file that was moved aside, and trouble why none
	// is written to at present.
	aside, trouble atomic.Pointer[string]

	// mu guards everything below, and the file: callers take turns.
	mu     sync.Mutex
	closed bool
	// db is nil while the file is not open. What follows it is read when it is
	// opened.
	db     *sql.DB
	found  fs.FileInfo
	salt   []byte
	meters meterNames
	tidied time.Time

	// told has the kinds of faults that the log has, until a write succeeds.
	told map[kind]bool
	// waiting are samples that could not be written yet, oldest first.
	waiting []waiting
	recent  recent
}

// New is a store on a file that is opened when it is first needed, and again
// whenever that failed, or when the file was replaced.
func New(c Config) *Store {
	s := &Store{path: c.Path, log: c.Log, location: c.Location, told: map[kind]bool{}}
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
// mostly. A lock is none of that: it passes.
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
// other process has it open, no -wal and no -shm stay behind. The store is of no
// use any more: Record hands out nothing, and all others return an error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if len(s.waiting) > 0 {
		_ = s.with(context.Background(), true, s.write) // it is in the log
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
		var err error
		value, err = s.document(ctx, name)
		return err
	})
	return value, err
}

// Save keeps a document under a name, in place of the one before. Nothing is
// written when that is the same.
func (s *Store) Save(ctx context.Context, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.with(ctx, true, func(ctx context.Context) error { return s.replaceDocument(ctx, name, value) })
}

// Record keeps the figures of a snapshot that a language server gave, and hands
// out the samples of its meters' current windows, oldest first, with the present
// one at the end. Where there are more than some hundred, those that lie further
// back than a third of the window are thinned most, and the sides of a fall
// stay. It matches [usage.Record].
//
// It takes half a second at most while another process has the file locked. What
// could not be written waits for the next call, and is handed out all the same.
// A snapshot without a time, or of a file or a cache, is not recorded and has no
// history. Snapshots that do not say whose they are are one account of their own.
func (s *Store) Record(ctx context.Context, snapshot usage.Snapshot) pace.History {
	present := samplesOf(snapshot)
	if present == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	// The figures were had; that the caller is about to end does not unmake them.
	ctx = context.WithoutCancel(ctx)
	s.wait(snapshot.Plan, present)
	err := s.with(ctx, true, func(ctx context.Context) error {
		werr := s.write(ctx)
		// A lock or a full disk does not keep anybody from reading.
		if rerr := s.follow(ctx, snapshot.Plan, present); rerr != nil {
			return rerr
		}
		return werr
	})
	if err == nil {
		_ = s.with(ctx, true, func(ctx context.Context) error { return s.tidy(ctx, present[0].At) }) // it is in the log
	}
	return s.handOut(snapshot.Plan, present)
}
