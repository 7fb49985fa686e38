// Package settings keeps a person's settings in one TOML file, which the person edits
// as well. It knows no key: a struct says which exist.
//
// A file is changed in place, so that what else a person has written there stays; is
// made with every key behind a #; and is followed while it changes. A page that lets a
// person fill it in gets it as a Form.
//
// No error has the file's directory in it, for that has the name of its user.
package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// File is the file that a T is kept in. A T is a struct of the file's sections, and
// those are structs of their keys. A key is a bool, an int, a string, a
// time.Duration, or a list of ints or strings. The tags of a field are what the file
// says of it:
//
//	toml     its name
//	comment  what it is for, as a sentence
//	choices  for a string, all that it takes but "", with commas between
//	takes    for others but a bool, the rest of "It takes …" without the full stop
//	empty    what "" or [] means, where the key takes that
//
// A File is a name and no more: any number of goroutines and processes may use
// files of the same path.
type File[T any] struct {
	// Path is where the file is, or would be.
	Path string
	// Defaults makes what holds for the keys that are not in the file. Invalid has
	// nothing against it.
	Defaults func() T
	// Invalid are the whole names of the keys that do not take their value, such as
	// usage.interval, where the type does not say all.
	Invalid func(T) []string
}

// Name is what the file is called, to people too.
const Name = "config.toml"

// maxSize, in bytes, is a hundred times what a file with every key has.
const maxSize = 1 << 20

// Path is where a person's file has to be. It fails where the environment names no
// home directory. Source: XDG Base Directory Specification, which has a relative
// $XDG_CONFIG_HOME ignored.
func Path() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		switch runtime.GOOS {
		case "windows", "darwin":
			dir, err = os.UserConfigDir()
		default:
			dir, err = os.UserHomeDir()
			dir = filepath.Join(dir, ".config")
		}
		if err != nil { // it says that the variable is not defined
			return "", &say.Error{What: "Windsock cannot tell where its settings are: " + err.Error() + ".", Cure: "Set it and try again.", Cause: err}
		}
	}
	return filepath.Join(dir, "windsock", Name), nil
}

// Exists reports whether there is something in the file's place, be it a link to
// nowhere.
func (f File[T]) Exists() bool {
	_, err := os.Lstat(f.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Load reads the file. One that is not there is the defaults. Any error is a
// *BrokenError, and the T beside it is the defaults.
func (f File[T]) Load() (T, error) {
	text, err := f.text()
	if err != nil {
		return f.Defaults(), err
	}
	return f.parse(text)
}

func (f File[T]) parse(text []byte) (T, error) {
	r := f.read(text)
	if err := r.err(); err != nil {
		return f.Defaults(), err
	}
	return r.value, nil
}

// text returns what is in the file; nothing for one that is not there. Its error is a
// *BrokenError.
func (f File[T]) text() ([]byte, error) {
	text, err := files.Read(f.Path, maxSize)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist) && f.Exists():
		return nil, broken("it is a link to a file that is not there", nil)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, files.ErrTooLarge), errors.Is(err, files.ErrNotRegular):
		return nil, broken(err.Error(), nil)
	}
	cause := redact.Path(err)
	return nil, broken("it cannot be read: "+cause.Error(), cause)
}
