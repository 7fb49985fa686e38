package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// draftPrefix begins the names of drafts. A link may lead to a file among a person's
// other ones, so that no other program's may begin like this.
const draftPrefix = ".windsock-config-"

// draft writes a text into a new file of a directory, which it makes if need be,
// and returns its path: it is whole, on the disk, and for its maker to move or to
// remove. Drafts that nobody has done that with go.
func draft(dir string, text []byte, mode fs.FileMode) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeLostDrafts(dir)
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

// draftLife is much longer than a draft is needed: some milliseconds.
const draftLife = time.Minute

// removeLostDrafts removes what was left by a process that was killed before it
// could move its draft to its place. One that has lived on until then, because it was
// stopped, say, fails at the move, and its file is as it was: each draft has a name of
// its own, so that nobody ever moves another's, or half of one.
func removeLostDrafts(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // they are in nobody's way
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), draftPrefix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > draftLife {
			_ = os.Remove(filepath.Join(dir, e.Name())) // else the next one does
		}
	}
}
