package autostart

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"windsock/probe/files"
)

// fileFormat is the format of an entry on a system that stores it in a file. The
// formats have no side effects, and are tested on every system.
type fileFormat struct {
	name string
	dir  string // of the entries, for people
	// write returns the text of an entry that starts the executable.
	write func(executable string) (string, error)
	// command returns the program that an entry starts, or "".
	command func(content []byte) string
}

// fileEntry is an entry in a file.
type fileEntry struct {
	fileFormat

	directory string // "" if unknown
}

var errNoHome = errors.New("the home directory is not known")

// maxEntry, in bytes, is far above any entry's size.
const maxEntry = 1 << 20

func (f fileEntry) where() string { return "the directory " + f.dir }
func (f fileEntry) path() string  { return filepath.Join(f.directory, f.name) }

func (f fileEntry) command() (string, error) {
	if f.directory == "" {
		return "", errNoHome
	}
	content, err := files.Read(f.path(), maxEntry)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return f.fileFormat.command(content), err
}

func (f fileEntry) write(executable string) error {
	if f.directory == "" {
		return errNoHome
	}
	text, err := f.fileFormat.write(executable)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.directory, 0o700); err != nil { // the mode that XDG asks for
		return err
	}
	return files.Replace(f.path(), []byte(text), 0o644)
}

func (f fileEntry) remove() error {
	if f.directory == "" {
		return errNoHome
	}
	err := os.Remove(f.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
