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
	// maxStateCopy is the largest database that is copied.
	maxStateCopy = 512 << 20
	// copyPrefix is how a copy's directory is called; one that is older than
	// staleCopy was left by a process that died.
	copyPrefix = "windsock-state-"
	staleCopy  = 10 * time.Minute
)

// readCopy reads from a private copy that is gone when it returns.
func (r stateReader) readCopy(ctx context.Context, q stateQuery) (rows []stateRow, err error) {
	dir, err := makeCopyDir(r.copies)
	if err != nil {
		return nil, errors.New("make room for a copy: " + redact.Path(err).Error())
	}
	defer func() { err = errors.Join(err, redact.Path(os.RemoveAll(dir))) }()
	copied := filepath.Join(dir, "state.vscdb")
	// A writer may change the file in the middle of the copy, which is taken
	// anew then. The pauses outlast a burst of small transactions.
	for try := range copyTries {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try) * copyPause):
		}
		before := stampState(r.path)
		if err := r.copy(r.path, copied); err != nil {
			return nil, err
		}
		if before.same(stampState(r.path)) {
			return r.query(ctx, copied, modeReadWrite, q)
		}
	}
	return nil, errors.New("the database changes all the time")
}

// A copy is taken anew after a pause, then after two, then after three.
const (
	copyTries = 4
	copyPause = 40 * time.Millisecond
)

// copyRoots are where a copy may lie: first a place that other users cannot
// look into, where there is one. The copy's own directory is private in any case.
func copyRoots() []string {
	roots := []string{os.TempDir()}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		roots = append([]string{dir}, roots...)
	}
	return roots
}

// makeCopyDir makes a directory of mode 0700 in the first root that lets it: a
// runtime directory may be gone, or of the user that su was called by.
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
func removeStaleCopies(now time.Time, roots []string) {
	for _, root := range roots {
		dirs, _ := filepath.Glob(filepath.Join(root, copyPrefix+"*"))
		for _, dir := range dirs {
			info, err := os.Lstat(dir)
			if err == nil && info.IsDir() && now.Sub(info.ModTime()) > staleCopy {
				_ = os.RemoveAll(dir) // another user's stays, and is not ours to tell of
			}
		}
	}
}

func copyState(from, to string) error {
	var total int64
	for _, suffix := range stateFiles {
		total += max(fileSize(from+suffix), 0)
	}
	if total > maxStateCopy {
		return fmt.Errorf("the database is in use and, with %d MB, too large to copy", total>>20)
	}
	for _, suffix := range stateFiles {
		_ = os.Remove(to + suffix)
		err := copyFile(from+suffix, to+suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			// Not as a cause: a directory that is missing here is no missing sign-in.
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
	_, err = io.Copy(out, io.LimitReader(in, maxStateCopy))
	return errors.Join(err, out.Close())
}
