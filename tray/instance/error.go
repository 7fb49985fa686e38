package instance

import (
	"errors"
	"strconv"

	"windsock/probe/redact"
)

// ErrRunning is what Acquire says while another process holds the lock.
var ErrRunning = errors.New("already running")

// RunningError is ErrRunning with the process that holds the lock.
type RunningError struct {
	// PID is that process as far as it can be told, else 0. It is for messages
	// only: the process may have ended since, or live in another PID namespace.
	PID int
}

// Error is for logs.
func (e *RunningError) Error() string { return ErrRunning.Error() + e.who() }

// Sentence is for people.
func (e *RunningError) Sentence() string { return "Windsock is already running" + e.who() + "." }

// Unwrap returns ErrRunning.
func (*RunningError) Unwrap() error { return ErrRunning }

func (e *RunningError) who() string {
	if e.PID == 0 {
		return ""
	}
	return " (PID " + strconv.Itoa(e.PID) + ")"
}

// lockError is why the lock can be neither taken nor found taken. It does not
// repeat the file's path, which may hold a user's name.
type lockError struct {
	doing string
	cause error
}

func failure(doing string, err error) error {
	return &lockError{doing, redact.Path(err)}
}

func (e *lockError) Error() string { return e.doing + ": " + e.cause.Error() }
func (e *lockError) Unwrap() error { return e.cause }

func (e *lockError) Sentence() string {
	return "Windsock cannot tell whether it is already running: the file " + fileName +
		" in its runtime directory cannot be used: " + e.cause.Error() +
		". Check the permissions of that directory or delete the file, then start Windsock again."
}
