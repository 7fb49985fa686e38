package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// maxStateCopy is the largest database that is copied.
	maxStateCopy = 512 << 20
	// copyPrefix is how a copy's directory is called; one that is older than
	// staleCopy was left by a process that died.
	copyPrefix = "windsock-state-"
	staleCopy  = 10 * time.Minute
)

// readStateCopy reads from a private copy that is gone when it returns.
func readStateCopy(ctx context.Context, path, key string) (value []byte, err error) {
	dir, err := os.MkdirTemp(copyRoot(), copyPrefix) // 0700
	if err != nil {
		return nil, errors.New("make room for a copy: " + bare(err).Error())
	}
	defer func() { err = errors.Join(err, bare(os.RemoveAll(dir))) }()
	copied := filepath.Join(dir, "state.vscdb")
	// A writer may change the file in the middle of the copy; then its times
	// or sizes differ afterwards, and the copy is taken anew.
	for range 3 {
		before := stateStamp(path)
		if err := copyState(path, copied); err != nil {
			return nil, err
		}
		if before != stateStamp(path) {
			continue
		}
		return queryState(ctx, copied, modeReadWrite, key)
	}
	return nil, errors.New("the database changes all the time")
}

// copyRoot is a place that other users cannot look into, where there is one;
// the copy's own directory is private in any case.
func copyRoot() string {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	//nolint:gosec // the user's own directory, from the user's own environment
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir
	}
	return os.TempDir()
}

// removeStaleCopies removes what processes that died have left in root.
func removeStaleCopies(root string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(root, copyPrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && now.Sub(info.ModTime()) > staleCopy {
			_ = os.RemoveAll(dir) // another user's stays, and is not ours to tell of
		}
	}
}

// stateFiles are the parts of a database; all but the first may be missing.
var stateFiles = []string{"", "-wal", "-journal"}

type stamp struct {
	size     int64
	modified time.Time
}

func stateStamp(path string) (stamps [3]stamp) {
	for i, suffix := range stateFiles {
		if info, err := os.Stat(path + suffix); err == nil {
			stamps[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return stamps
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
			return errors.New("copy database: " + bare(err).Error())
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
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
