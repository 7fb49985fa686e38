package instance

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
	"golang.org/x/sys/windows"
)

// release frees the lock and then removes the file. That fails as long as another
// process has it open, because Go opens files without FILE_SHARE_DELETE, and so
// never takes away a file that is locked: who has it open will remove it.
func release(path string, file *flock.Flock) error {
	if err := file.Unlock(); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !passing(err) {
		return err
	}
	return nil
}

// sweep removes the file that was found locked, in case its holder has released it
// since and could not remove it while it was open here.
func sweep(path string) { _ = os.Remove(path) }

// passing tells an error that another process causes while it removes the file
// or has it open: a deletion that is not finished, a share mode that excludes ours.
func passing(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
