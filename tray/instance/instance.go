// Package instance lets one Windsock run at a time.
//
// Who holds the lock of a directory is the one; everyone else is told so, with
// the process that holds it. The system frees the lock with the process, however
// that ends, so a file that a killed one left behind is no obstacle. One instance
// per user, or per display session of a user, is a matter of the directory: those
// that must not run beside each other are given the same.
//
// The lock is a file lock and not the existence of a file, but no file is left
// after Release. On Unix the holder removes it while it holds it; who had opened
// it before that then locks a file that nobody else will find, sees it, and starts
// over. On Windows an open file cannot be removed, so whoever closes it last does.
package instance

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const fileName = "windsock.lock"

// attempts is how often a lock file may be gone again before it is locked. Each
// time another process has just released the lock, so two in a row are rare.
const attempts = 200

var errReplaced = errors.New("the lock file keeps being replaced")

// Lock is held by this process until Release or its end. It may be used by
// several goroutines.
type Lock struct {
	path string
	file *flock.Flock

	once sync.Once
	err  error
}

// Acquire takes the lock of a directory, which it makes with mode 0700 where it is
// missing; the mode of one that is there is left alone. It does not wait. When
// another process has the lock (or this one has it already), the error is
// ErrRunning and a [*RunningError]. Any other error says that nobody can tell, and
// has a Sentence for people.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failure("make lock directory", err)
	}
	path := filepath.Join(dir, fileName)
	err := errReplaced
	for range attempts {
		var l *Lock
		l, err = try(path)
		if err == nil {
			return l, nil
		}
		if errors.Is(err, ErrRunning) {
			return nil, err
		}
		if !errors.Is(err, errReplaced) && !passing(err) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return nil, failure("lock file", err)
}

// try takes the lock once. It gives errReplaced for a file that was removed
// between being opened and being locked.
func try(path string) (*Lock, error) {
	// A link would put the lock elsewhere, and a pipe is none.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	held, err := file.TryLock()
	if err != nil {
		return nil, err
	}
	if !held {
		running := &RunningError{PID: readPID(path)}
		sweep(path)
		return nil, running
	}
	if !names(path, file) {
		if err := file.Unlock(); err != nil {
			return nil, err
		}
		return nil, errReplaced
	}
	writePID(path)
	return &Lock{path: path, file: file}, nil
}

// names tells whether the path still leads to the locked file.
func names(path string, file *flock.Flock) bool {
	found, err := os.Lstat(path)
	if err != nil {
		return false
	}
	held, err := file.Stat()
	return err == nil && os.SameFile(found, held)
}

// Release frees the lock and removes its file, but not one that another process
// may hold by now. Only the first call does anything; later ones return what it
// returned. After an error the lock may last until the process ends.
func (l *Lock) Release() error {
	l.once.Do(func() {
		if err := release(l.path, l.file); err != nil {
			l.err = failure("release lock", err)
		}
	})
	return l.err
}
