// Package instance lets one Windsock run at a time.
//
// Who holds the lock of a directory is the one; everyone else is told so, with
// the process that holds it, and may send it a request. The system frees the lock
// with the process, however that ends, so a file that a killed one left behind is no
// obstacle. One instance per user, or per display session of a user, is a matter of
// the directory: those that must not run beside each other are given the same.
//
// The lock is a file lock and not the existence of a file, which stays.
package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"windsock/probe/redact"
	"windsock/probe/say"
)

const fileName = "windsock.lock"

// ErrRunning is what Acquire says while another process holds the lock.
var ErrRunning = errors.New("already running")

// RunningError is ErrRunning with the process that holds the lock.
type RunningError struct {
	// PID is that process as far as it can be told, else 0. It is for messages
	// only: the process may have ended since, or live in another PID namespace.
	PID int
}

func (e *RunningError) Error() string { return e.Tell().What }

// Tell says that it runs, and as which process.
func (e *RunningError) Tell() say.Error {
	if e.PID == 0 {
		return say.Error{What: "Windsock is already running."}
	}
	return say.Error{What: "Windsock is already running (PID " + strconv.Itoa(e.PID) + ")."}
}

// Unwrap returns ErrRunning.
func (*RunningError) Unwrap() error { return ErrRunning }

// Lock is held by this process until Release or its end. It may be used by
// several goroutines.
type Lock struct {
	dir     string
	file    *flock.Flock
	release func() error
}

// Acquire takes the lock of a directory, which it makes with mode 0700 where it is
// missing; the mode of one that is there is left alone. It does not wait. When
// another process has the lock (or this one has it already), the error is
// ErrRunning and a [*RunningError]. Any other error says that nobody can tell, and
// is a say.Teller.
func Acquire(dir string) (*Lock, error) {
	path := filepath.Join(dir, fileName)
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	err := os.MkdirAll(dir, 0o700)
	// A link would put the lock elsewhere, and a pipe is none.
	if info, missing := os.Lstat(path); err == nil && missing == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	held := false
	if err == nil {
		held, err = file.TryLock()
	}
	if err != nil {
		return nil, unusable(err)
	}
	if !held {
		pid, _ := readPID(path)
		return nil, &RunningError{pid}
	}
	writePID(path, os.Getpid())
	return &Lock{dir: dir, file: file, release: sync.OnceValue(func() error {
		writePID(path, 0)
		return redact.Path(file.Unlock())
	})}, nil
}

// Release frees the lock. Only the first call does anything; later ones return what
// it returned. After an error the lock may last until the process ends.
func (l *Lock) Release() error { return l.release() }

// unusable is why the lock can be neither taken nor found taken.
func unusable(err error) error {
	err = redact.Path(err)
	return &say.Error{
		What: "Windsock cannot tell whether it is already running: the file " + fileName +
			" in its runtime directory cannot be used: " + err.Error() + ".",
		Cure:  "Check the permissions of that directory or delete the file, then start Windsock again.",
		Cause: fmt.Errorf("lock file: %w", err),
	}
}

// pidOffset leaves out the first byte of the lock file: it is the one that is
// locked on Windows, where nobody else can read it then.
const pidOffset = 1

// writePID notes a process in the lock file, or 0 for none. A number that cannot be
// written is missing from a message, and has a request wait in vain.
func writePID(path string, pid int) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = file.WriteAt([]byte(strconv.Itoa(pid)+"\n"), pidOffset)
	_ = file.Close()
}

// readPID returns the process that the lock file names; false where it names none yet.
// What follows the first line is what is left of a longer number.
func readPID(path string) (int, bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	text := make([]byte, 32)
	n, _ := file.ReadAt(text, pidOffset) // it is shorter
	line, _, ended := strings.Cut(string(text[:n]), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || !ended || pid < 0 {
		return 0, false
	}
	return pid, true
}
