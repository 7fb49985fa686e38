package simulator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	placePrefix = "windsock-demo-"
	// lockName is a file in a demo's directory that is locked while the demo
	// runs; a lock ends with its process, however that ends.
	lockName = "lock"
	// leftOver is how old a directory has to be to be one that a demo left
	// behind, and not one whose lock is about to be taken.
	leftOver = time.Minute
)

// newPlace makes a directory below tmp for a demo, which calls leave at its end.
func newPlace(tmp string) (dir string, leave func() error, err error) {
	dir, err = os.MkdirTemp(tmp, placePrefix)
	if err != nil {
		return "", nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	leave = func() error { return errors.Join(lock.Close(), os.RemoveAll(dir)) }
	if held, err := lock.TryLock(); err != nil || !held {
		// A file system without locks: nobody clears away what has no lock file.
		_ = lock.Close()
		if err := os.Remove(lock.Path()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", nil, errors.Join(err, leave())
		}
	}
	return dir, leave, nil
}

// sweep removes what demos that were killed have left below tmp. What it cannot
// be sure of, or cannot remove, stays.
func sweep(tmp string, now time.Time) {
	entries, err := os.ReadDir(tmp)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), placePrefix) {
			continue
		}
		info, err := entry.Info() // of a link, and not of what it points to
		if err == nil && info.IsDir() && own(info) && now.Sub(info.ModTime()) > leftOver {
			removeDead(filepath.Join(tmp, entry.Name()))
		}
	}
}

// removeDead removes a demo's directory unless the demo lives.
func removeDead(dir string) {
	name := filepath.Join(dir, lockName)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	lock := flock.New(name)
	held, err := lock.TryLock()
	// Closed in any case: Windows removes no open file.
	if err = errors.Join(err, lock.Close()); err == nil && held {
		_ = os.RemoveAll(dir)
	}
}
