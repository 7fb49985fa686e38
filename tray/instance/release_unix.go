//go:build unix

package instance

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// release removes the file while it is still locked: afterwards it could be
// another's. One that somebody else put in its place is left alone.
func release(path string, file *flock.Flock) error {
	var removed error
	if names(path, file) {
		removed = os.Remove(path)
	}
	if errors.Is(removed, fs.ErrNotExist) {
		removed = nil
	}
	return errors.Join(removed, file.Unlock())
}

// sweep has nothing to do: the holder removes the file.
func sweep(string) {}

// passing is about errors that go away by themselves; on Unix none does.
func passing(error) bool { return false }
