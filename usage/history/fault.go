package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"syscall"

	"modernc.org/sqlite"

	"windsock/probe/redact"
	"windsock/probe/say"
)

// kind is why there is no history at present. Each is in the log once.
type kind string

const (
	full       kind = "full"
	locked     kind = "locked"
	denied     kind = "denied"
	newer      kind = "newer"
	unreadable kind = "unreadable"
	closed     kind = "closed"
	broken     kind = "broken" // whatever else
)

var (
	errAbsent     = errors.New("there is no file yet")
	errNewer      = errors.New("a newer version wrote it")
	errUnreadable = errors.New("it is no readable database")
	errClosed     = errors.New("the store is closed")
)

// SQLite's primary result codes.
const (
	codeError    = 1
	codePerm     = 3
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeAuth     = 23
	codeNotADB   = 26
)

// codeOf is SQLite's primary result code of an error, 0 when it has none.
func codeOf(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return 0
}

func kindOf(err error) kind {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errClosed):
		return closed
	case errors.Is(err, errNewer):
		return newer
	case errors.Is(err, errUnreadable):
		return unreadable
	case errors.Is(err, syscall.ENOSPC):
		return full
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return denied
	}
	switch codeOf(err) {
	case codeCorrupt, codeNotADB:
		return unreadable
	case codeBusy, codeLocked:
		return locked
	case codeFull:
		return full
	case codePerm, codeReadOnly, codeCantOpen, codeAuth:
		return denied
	default:
		return broken
	}
}

// reasons are what a person is told.
var reasons = map[kind]string{
	full:       "The disk is full, so the history cannot be kept. Make some room.",
	locked:     "Another program has the history locked. Try again in a moment.",
	denied:     "The history may not be written to. Check the permissions of history.db and of its directory.",
	newer:      "A newer Windsock wrote the history, so this one leaves it alone. Update Windsock.",
	unreadable: "The history cannot be read, and could not be moved aside. Check the permissions of its directory.",
	closed:     "The history is closed.",
	broken:     "The history cannot be read or written; the disk may be full or damaged.",
}

// wrap tells an error of the store. It does not name the file, whose path may hold a
// user's name.
func wrap(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &say.Error{What: reasons[kindOf(err)], Cause: fmt.Errorf("use history: %w", redact.Path(err))}
}

// tell logs how a use of the file went: each kind of fault once, until a use
// goes well again.
func (s *Store) tell(ctx context.Context, err error) {
	if err == nil {
		if len(s.told) > 0 {
			s.log.InfoContext(ctx, "history is kept again")
			s.trouble.Store(nil)
			clear(s.told)
		}
		return
	}
	why := kindOf(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return
	}
	if why != locked && why != closed { // which pass by themselves
		sentence := reasons[why]
		s.trouble.Store(&sentence)
	}
	if s.told[why] || why == closed {
		return
	}
	s.told[why] = true
	s.log.WarnContext(ctx, "history is being lost", slog.String("kind", string(why)), slog.Any("err", redact.Path(err)))
}

func (s *Store) note(sentence string) { s.aside.Store(&sentence) }
