package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"windsock/probe/redact"
)

const (
	// maxCopy is the largest database that is copied.
	maxCopy = 512 << 20
	// A copy is repeated after one pause, then after two, then after three: by then a
	// burst of small transactions is over.
	copyTries = 4
	copyPause = 40 * time.Millisecond
	// copyPrefix begins the name of a copy's directory. A directory older than
	// staleCopy was left by a process that died.
	copyPrefix = "windsock-state-"
	staleCopy  = 10 * time.Minute
)

// stateFiles are the parts of a database to copy; all but the first may be missing. The
// order is SQLite's own: pages are in the -wal before they are in the main file, and in
// the -journal until they are no longer needed. So a part that is copied later never
// lacks what an earlier one refers to.
var stateFiles = []string{"", "-wal", "-journal"}

// readCopy reads from a private copy and removes it before it returns.
func (d database) readCopy(ctx context.Context, where string, args []any) (rows []row, err error) {
	dir, err := makeCopyDir(d.copies)
	if err != nil {
		return nil, errors.New("make room for a copy: " + redact.Path(err).Error())
	}
	defer func() { err = errors.Join(err, redact.Path(os.RemoveAll(dir))) }()
	copied := filepath.Join(dir, "state.vscdb")
	// Copy again if the database was written to meanwhile.
	for try := range copyTries {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try) * copyPause):
		}
		before := stampOf(d.path)
		if err := copyState(d.path, copied); err != nil {
			return nil, err
		}
		if before == stampOf(d.path) {
			return query(ctx, copied, modeReadWrite, where, args)
		}
	}
	return nil, errChanges
}

// copyRoots are the directories for a copy: first one that other users cannot read, if
// there is one. The copy's own directory is private in any case.
func copyRoots() []string {
	roots := []string{os.TempDir()}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		roots = append([]string{dir}, roots...)
	}
	return roots
}

// makeCopyDir makes a directory of mode 0700 in the first writable root: a runtime
// directory may be gone, or after su belong to another user.
func makeCopyDir(roots []string) (dir string, err error) {
	err = errors.New("there is no place for one")
	for _, root := range roots {
		if dir, err = os.MkdirTemp(root, copyPrefix); err == nil {
			return dir, nil
		}
	}
	return "", err
}

// removeStaleCopies removes the copies of processes that died.
func removeStaleCopies(roots []string) {
	for _, root := range roots {
		dirs, _ := filepath.Glob(filepath.Join(root, copyPrefix+"*"))
		for _, dir := range dirs {
			info, err := os.Lstat(dir)
			if err == nil && info.IsDir() && time.Since(info.ModTime()) > staleCopy {
				_ = os.RemoveAll(dir) // a copy of another user stays
			}
		}
	}
}

// copyState copies a database. Its errors are never fs.ErrNotExist: a file missing here
// does not mean a missing sign-in.
func copyState(from, to string) error {
	var total int64
	for _, suffix := range stateFiles {
		if info, err := os.Stat(from + suffix); err == nil {
			total += info.Size()
		}
	}
	if total > maxCopy {
		return fmt.Errorf("the database is in use and, with %d MB, too large to copy", total>>20)
	}
	for _, suffix := range stateFiles {
		_ = os.Remove(to + suffix)
		err := copyFile(from+suffix, to+suffix)
		if err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return errors.New("copy database: " + redact.Path(err).Error())
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := openRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxCopy))
	return errors.Join(err, out.Close())
}

// stamp identifies a state of a database; a missing part is zero. Times alone are not
// enough: a file system may not distinguish two writes within some milliseconds.
type stamp [3]struct {
	size, modified int64
	// head holds the counter that every commit to the main file changes, and the salt
	// that every restart of a -wal changes.
	head [32]byte
}

func stampOf(path string) (s stamp) {
	for i, suffix := range stateFiles {
		file, err := openRegular(path + suffix)
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil {
			s[i].size, s[i].modified = info.Size(), info.ModTime().UnixNano()
		}
		_, _ = io.ReadFull(file, s[i].head[:]) // a shorter file is fine
		_ = file.Close()
	}
	return s
}

// stateModified is the time of the database's last write, including its -wal.
func stateModified(path string) time.Time {
	var last time.Time
	for _, suffix := range stateFiles {
		if info, err := os.Stat(path + suffix); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
