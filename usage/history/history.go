// Package history keeps the figures of the meters in one SQLite file. It gives pace the
// samples of the current windows, gives the command and the window the use of each day,
// and stores small documents for other packages.
//
// Trouble with the file never stops the app. [Store.Record] has no error: a full disk,
// a locked file or a directory without write permission costs history and a line in the
// log, and samples wait in memory until the file can be written again. A damaged file
// is moved aside, never deleted. A file that a newer Windsock wrote is left alone.
//
// The file holds figures, times, the names of meters, the documents and tables of other
// packages, and each plan as its product and the hash of its account. This installation
// makes the salt of the hash, and the salt never leaves it. The file holds no e-mail,
// key, plan's name or prompt.
//
// # What is kept
//
// A meter gets a sample when its figures changed, at most once a minute, and every six
// hours when they did not. After 90 days one sample an hour is kept, after two years
// one a day: the last one of its hour or day. Both sides of a reset or a correction are
// always kept, so that no day's use changes. These are days with samples, too, so that a
// wrong clock thins nothing. A day is closed seven days after its end:
// its use is stored, in the time zone of that moment.
//
// A window that is over has a row of its own, from its first successor on: its last
// figure, when it was used up, and in a day the use of each hour. Pace needs years of
// them, and no one has to read years of samples. What was said of a window is not
// stored; it follows from the samples.
//
// # Order
//
// Samples have an order of their own beside their time: the order in which they were
// taken. When the clock is set back, later samples get earlier times, which neither
// changes nor hides the samples before.
//
// All methods of a Store may be called from any goroutine; they take turns. Several
// processes may use one file, each with one Store: a process that opens the same file
// twice loses its locks.
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

// Config are the settings of a Store.
type Config struct {
	// Path is the database. The Store makes it and its directory at the first write,
	// for the user alone.
	Path string
	// Log gets a line when history is being lost, once per reason; it may be nil.
	Log *slog.Logger
	// Location decides when days begin; nil is the machine's.
	Location *time.Location
}

// Store is a history. The zero Store is not usable; see [New].
type Store struct {
	path     string
	log      *slog.Logger
	location *time.Location
	// aside says that a file was moved aside; trouble says why the file cannot be used
	// at present. Each is a sentence.
	aside, trouble atomic.Pointer[string]

	// mu guards the file and everything below: callers take turns.
	mu     sync.Mutex
	closed bool
	// db is nil while the file is not open. The fields after it are read when the file
	// is opened.
	db     *sql.DB
	found  fs.FileInfo
	salt   []byte
	meters meterTable
	tidied time.Time

	// logged has the codes of the logged faults, until a use succeeds.
	logged map[string]bool
	// waiting are samples that could not be written yet, oldest first.
	waiting []waiting
	// present are the last samples that were recorded, by the plan's key. They may not be
	// due for the file yet.
	present map[string][]Sample
}

// New returns a store on a file. The file is opened at its first use, and again after
// it failed to open or was replaced.
func New(c Config) *Store {
	s := &Store{path: c.Path, log: c.Log, location: c.Location, logged: map[string]bool{}, present: map[string][]Sample{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.location == nil {
		s.location = time.Local //nolint:gosmopolitan // days are the person's
	}
	return s
}

// Notice is the text for the user, one sentence per line: that a file was moved aside,
// and, as long as it lasts, why the history is not kept; usually "". It leaves out a
// lock, which does not last.
func (s *Store) Notice() string {
	var sentences []string
	for _, text := range []*string{s.aside.Load(), s.trouble.Load()} {
		if text != nil {
			sentences = append(sentences, *text)
		}
	}
	return strings.Join(sentences, "\n")
}

// Aside is the sentence that says that a file was moved aside, by this Store; usually "".
func (s *Store) Aside() string {
	if text := s.aside.Load(); text != nil {
		return *text
	}
	return ""
}

// Close writes the waiting samples, if it can now, and closes the file. When no other
// process has it open, no -wal and no -shm remain. After Close, Record returns nothing
// and all other methods return an error.
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

// Salt is this installation's key for [usage.Plan.Key]. It is made with the file and
// lasts as long as the file.
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

// Load returns the document of that name, nil without one.
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

// Save stores a document that is not empty under a name, in place of the earlier one.
// It writes nothing when the two are equal.
func (s *Store) Save(ctx context.Context, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.with(ctx, true, func(ctx context.Context) error {
		_, err := s.db.ExecContext(ctx, `INSERT INTO document (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value != excluded.value`, name, value)
		return err
	})
}
