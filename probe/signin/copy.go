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
	// A copy is taken anew after one pause, then after two, then after three: a
	// burst of small transactions is over by then.
	copyTries = 4
	copyPause = 40 * time.Millisecond
	// copyPrefix begins the name of a copy's directory; one that is older than
	// staleCopy was left by a process that died.
	copyPrefix = "windsock-state-"
	staleCopy  = 10 * time.Minute
)

// stateFiles are the parts of a database that a copy takes; all but the first
// may be missing. The order is SQLite's own: pages are in the -wal before they
// are in the main file, and in the -journal until they are no longer needed, so
// a part that is copied later never lacks what an earlier one refers to.
var stateFiles = []string{"", "-wal", "-journal"}

// readCopy reads from a private copy that is gone when it returns.
func (d database) readCopy(ctx context.Context, where string, args []any) (rows []row, err error) {
	dir, err := makeCopyDir(d.copies)
	if err != nil {
		return nil, errors.New("make room for a copy: " + redact.Path(err).Error())
	}
	defer func() { err = errors.Join(err, redact.Path(os.RemoveAll(dir))) }()
	copied := filepath.Join(dir, "state.vscdb")
	// A copy of a file that was written to meanwhile is taken anew.
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

// copyRoots are where a copy may lie: first a place that other users cannot
// look into, where there is one. The copy's own directory is private in any case.
func copyRoots() []string {
	roots := []string{os.TempDir()}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		roots = append([]string{dir}, roots...)
	}
	return roots
}

// makeCopyDir makes a directory of mode 0700 in the first root that can be written
// to: a runtime directory may be gone, or another user's after su.
func makeCopyDir(roots []string) (dir string, err error) {
	err = errors.New("there is no place for one")
	for _, root := range roots {
		if dir, err = os.MkdirTemp(root, copyPrefix); err == nil {
			return dir, nil
		}
	}
	return "", err
}

// removeStaleCopies removes what processes that died have left.
func removeStaleCopies(roots []string) {
	for _, root := range roots {
		dirs, _ := filepath.Glob(filepath.Join(root, copyPrefix+"*"))
		for _, dir := range dirs {
			info, err := os.Lstat(dir)
			if err == nil && info.IsDir() && time.Since(info.ModTime()) > staleCopy {
				_ = os.RemoveAll(dir) // another user's stays
			}
		}
	}
}

// copyState copies a database. Its errors are no fs.ErrNotExist: a file that is
// missing here is no missing sign-in.
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

// stamp tells one state of a database from another; a part that is missing is zero.
// Times alone would not do: a file system may not tell two writes within some
// milliseconds apart.
type stamp [3]struct {
	size, modified int64
	// head holds the counter that every commit to the main file changes, and the
	// salt that every new start of a -wal changes.
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
		_, _ = io.ReadFull(file, s[i].head[:]) // a shorter one is as good
		_ = file.Close()
	}
	return s
}

// stateModified is when the database was last written to, its -wal included.
func stateModified(path string) time.Time {
	var last time.Time
	for _, suffix := range stateFiles {
		if info, err := os.Stat(path + suffix); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
