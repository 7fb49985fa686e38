package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// Why the history cannot be used. The code stands in the log, the sentence is for
// people.
var (
	errFull       = &say.Error{Code: "full", What: "The disk is full, so the history cannot be kept.", Cure: "Make some room."}
	errLocked     = &say.Error{Code: "locked", What: "Another program has the history locked.", Cure: "Try again in a moment."}
	errDenied     = &say.Error{Code: "denied", What: "The history may not be written to.", Cure: "Check the permissions of history.db and of its directory."}
	errNewer      = &say.Error{Code: "newer", What: "A newer Windsock wrote the history, so this one leaves it alone.", Cure: "Update Windsock."}
	errUnreadable = &say.Error{Code: "unreadable", What: "The history cannot be read, and could not be moved aside.", Cure: "Check the permissions of its directory."}
	errClosed     = &say.Error{Code: "closed", What: "The history is closed."}
	errGone       = &say.Error{Code: "gone", What: "The directory of the history is gone.", Cure: "Bring it back: it may be on a disk that is not mounted."}
	errReadOnly   = &say.Error{Code: "read_only", What: "The history is on a disk that is read-only.", Cure: "Make the disk writable again."}
	errBroken     = &say.Error{Code: "broken", What: "The history cannot be read or written.", Cure: "See whether the disk is full or damaged."}
)

// errAbsent ends a use that does not create the file when it is missing.
var errAbsent = errors.New("there is no file yet")

// codeOf is the primary SQLite result code of an error, 0 without one.
func codeOf(err error) int { return fullCodeOf(err) & 0xff }

func fullCodeOf(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code()
	}
	return 0
}

// faultOf is one of the errors above.
func faultOf(err error) *say.Error {
	if fault, ok := errors.AsType[*say.Error](err); ok {
		return fault
	}
	switch {
	case files.ReadOnly(err):
		return errReadOnly
	case fullCodeOf(err) == sqlite3.SQLITE_IOERR_SHMSIZE: // even reading needs 32 kB beside the file
		return errFull
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return errUnreadable
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errLocked
	case sqlite3.SQLITE_FULL:
		return errFull
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH:
		return errDenied
	}
	switch {
	case files.Full(err):
		return errFull
	case errors.Is(err, fs.ErrPermission):
		return errDenied
	default:
		return errBroken
	}
}

// canceled reports whether the caller gave up, which is no fault of the file.
func canceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// wrap is the error for callers. It leaves out the file's path, which may hold a user's
// name.
func wrap(err error) error {
	if err == nil || canceled(err) {
		return err
	}
	fault := *faultOf(err)
	fault.Cause = fmt.Errorf("use history: %w", redact.Path(err))
	return &fault
}

// report logs the result of a use of the file: each kind of fault once, until a use
// succeeds again.
func (s *Store) report(ctx context.Context, err error) {
	if err == nil {
		if len(s.logged) > 0 {
			s.log.InfoContext(ctx, "history is kept again")
			s.trouble.Store(nil)
			clear(s.logged)
		}
		return
	}
	fault := faultOf(err)
	if canceled(err) || ctx.Err() != nil || fault == errClosed {
		return
	}
	if fault != errLocked { // a lock does not last
		sentence := fault.Sentence()
		s.trouble.Store(&sentence)
	}
	if !s.logged[fault.Code] {
		s.logged[fault.Code] = true
		s.log.WarnContext(ctx, "history is being lost", slog.String("kind", fault.Code), slog.Any("err", redact.Path(err)))
	}
}
