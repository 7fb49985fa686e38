package settings

import (
	"errors"
	"io/fs"
	"os"
)

// draftPrefix begins the names of drafts.
const draftPrefix = ".config-"

// draft writes a text into a new file of a directory, which it makes if need be,
// and returns its path: it is whole, on the disk, and for its maker to move or to
// remove.
func draft(dir string, text []byte, mode fs.FileMode) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, draftPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		_ = os.Remove(f.Name()) // err says enough
		return "", err
	}
	return f.Name(), nil
}
