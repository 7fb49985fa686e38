package app

import (
	"errors"
	"os"
	"sync"
)

// logFile is a log of limited size. When it is full, it replaces the older log, and a
// new one begins.
type logFile struct {
	path string
	max  int64

	mu     sync.Mutex // guards the rest
	file   *os.File   // nil if the last open failed
	size   int64
	closed bool
}

// olderLog is the suffix of the older log.
const olderLog = ".1"

// openLogFile opens a log, or creates one.
func openLogFile(path string, most int64) (*logFile, error) {
	l := &logFile{path: path, max: most}
	return l, l.open()
}

// Write writes an entry. An entry that fails is lost, and the next one is tried
// anyway.
func (l *logFile) Write(entry []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, os.ErrClosed
	}
	if l.file != nil && l.size > 0 && l.size+int64(len(entry)) > l.max {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(entry)
	l.size += int64(n)
	return n, err
}

// Close closes the log for good.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// turn renames the log to the older one. Rename replaces a link, and does not follow
// it.
func (l *logFile) turn() error {
	err := l.file.Close() // Windows does not rename open files
	l.file = nil
	return errors.Join(err, os.Rename(l.path, l.path+olderLog))
}

// open opens the log. Another user with write access to its directory may have
// replaced it by a link to another file, or by a pipe.
func (l *logFile) open() error {
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|notThrough, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}
