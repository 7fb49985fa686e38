// Package instance lets one Windsock run at a time.
//
// The process that holds the lock of a directory is the instance. Every other process
// gets the holder's PID, and may send it a request. The system frees the lock at the
// end of the process, however it ends, so a killed process's file is no obstacle. The
// directory decides whether there is one instance per user or per display session:
// instances that exclude each other use the same one.
//
// The lock is a file lock. The existence of the file means nothing; it stays.
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

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

const fileName = "windsock.lock"

// ErrRunning is Acquire's error while another process holds the lock.
var ErrRunning = errors.New("already running")

// RunningError is ErrRunning with the holder's PID.
type RunningError struct {
	// PID is the holder's, or 0 if unknown. It is for messages only: the process may
	// have ended since, or live in another PID namespace.
	PID int
}

func (e *RunningError) Error() string { return e.Tell().What }

// Tell says that Windsock is running, and in which process.
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

// Acquire takes the lock of a directory. It makes a missing directory with mode 0700,
// and keeps the mode of an existing one. It does not wait. If another process has the
// lock (or this one has it already), the error is ErrRunning and a [*RunningError].
// Any other error means that the state is unknown, and is a say.Teller.
func Acquire(dir string) (*Lock, error) {
	path := filepath.Join(dir, fileName)
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	err := os.MkdirAll(dir, 0o700)
	// A link would put the lock elsewhere, and a pipe cannot be one.
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

// Release frees the lock. Later calls only return the first call's result. After an
// error the lock may last until the process ends.
func (l *Lock) Release() error { return l.release() }

// unusable is the error if the lock can be neither taken nor tested.
func unusable(err error) error {
	err = redact.Path(err)
	return &say.Error{
		What: "Windsock cannot tell whether it is already running: the file " + fileName +
			" in its runtime directory cannot be used: " + err.Error() + ".",
		Cure:  files.Cure(err, "Check the permissions of that directory or delete the file, then start Windsock again."),
		Cause: fmt.Errorf("lock file: %w", err),
	}
}

// pidOffset skips the first byte of the lock file: Windows locks that byte, and other
// processes cannot read it then.
const pidOffset = 1

// writePID writes a process id into the lock file, or 0 for none. If that fails,
// messages lack the PID, and a request waits in vain.
func writePID(path string, pid int) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = file.WriteAt([]byte(strconv.Itoa(pid)+"\n"), pidOffset)
	_ = file.Close()
}

// readPID returns the process that the lock file names; false if it names none yet.
// Text after the first line is the rest of a longer number.
func readPID(path string) (int, bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	text := make([]byte, 32)
	n, _ := file.ReadAt(text, pidOffset) // the file is shorter
	line, _, ended := strings.Cut(string(text[:n]), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || !ended || pid < 0 {
		return 0, false
	}
	return pid, true
}
