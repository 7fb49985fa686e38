package autostart

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxEntry is many times what any entry holds.
const maxEntry = 1 << 20

var (
	errTooLarge   = errors.New("the file is too large to be an entry")
	errNotRegular = errors.New("not a regular file")
)

// entryFile is the file of an entry as it was found.
type entryFile struct {
	path    string
	content []byte
	found   bool // false: nothing there, or a link that leads nowhere
	linked  bool // through a symbolic link, which is then somebody's arrangement
}

// readEntry reads the file of an entry. What is there and is no file, such as the
// link to /dev/null that some put over an entry, is an entry without content.
func readEntry(path string) (entryFile, error) {
	e := entryFile{path: path}
	if info, err := os.Lstat(path); err == nil {
		e.linked = info.Mode()&fs.ModeSymlink != 0
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	e.found = true
	if !info.Mode().IsRegular() { // a pipe would block
		return e, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return e, err
	}
	defer f.Close()
	e.content, err = io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err == nil && len(e.content) > maxEntry {
		return e, errTooLarge
	}
	return e, err
}

// write puts content in the place of the file, whole or not at all, with mode 0644.
// Through a link it writes the file that the link leads to, so that an entry that is
// kept in a repository of settings stays there; a link to nothing or to no file
// gives way to a file.
func (e entryFile) write(content []byte) error {
	path := e.path
	if e.linked {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() {
				path = target
			}
		}
	} else if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return errNotRegular
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil { // the mode that XDG asks for
		return err
	}
	temp, err := os.CreateTemp(dir, ".windsock-*.tmp")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

func (e entryFile) remove() error {
	err := os.Remove(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
