package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// moveAside moves the file at the store's path, with its companion files, into a new
// directory beside it. It overwrites and deletes nothing. When another process has
// already moved the file, it does nothing.
func (s *Store) moveAside(now time.Time) error {
	_ = s.shut() // a damaged file is closed even if that fails
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !os.SameFile(info, s.found)) {
		return nil
	}
	dir, err := s.makeAside(now)
	if err != nil {
		return err
	}
	// The database goes last: its companion files would otherwise be taken for a part
	// of the next database.
	var moved []string
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		from := s.path + suffix
		to := filepath.Join(dir, filepath.Base(from))
		switch err := os.Rename(from, to); {
		case err == nil:
			moved = append(moved, from)
		case suffix != "" && errors.Is(err, fs.ErrNotExist):
		default:
			for _, from := range moved {
				_ = os.Rename(filepath.Join(dir, filepath.Base(from)), from)
			}
			_ = os.Remove(dir)
			return err
		}
	}
	notice := "The history could not be read. It lies in " + filepath.Base(dir) + ", beside a new one that begins now."
	s.aside.Store(&notice)
	s.log.Warn("history could not be read, and was moved aside")
	return nil
}

// makeAside makes a directory named after the present time, with a number when that
// name is taken.
func (s *Store) makeAside(now time.Time) (string, error) {
	base := strings.TrimSuffix(s.path, filepath.Ext(s.path)) + "-unreadable-" + now.UTC().Format("20060102-150405")
	dir := base
	for n := 2; ; n++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil || !errors.Is(err, fs.ErrExist) || n > 100 {
			return dir, err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
}
