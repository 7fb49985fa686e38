// Package settings stores a person's settings in one TOML file, which the person edits
// as well. A struct defines the keys.
//
// A file is changed in place, so that the person's other text stays. It is created
// with every key behind a #, and followed while it changes. A page edits it as a Form.
//
// Errors never contain the file's directory, since that contains the user's name.
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

// File is the file of a T. A T is a struct of the file's sections, and those are
// structs of their keys. A key is a bool, an int, a string, a time.Duration, or a list
// of ints or strings. The tags of a field are the file's text about the key:
//
//	toml     its name
//	comment  what it is for, as a sentence
//	choices  for a string, all that it takes but "", with commas between
//	takes    for others but a bool, the rest of "It takes …" without the full stop
//	empty    what "" or [] means, where the key takes that
//	form     "none" for a key that no [Form] shows or stores, as a page asks for it otherwise
//
// A File is only a name: any number of goroutines and processes may use files of the
// same path.
type File[T any] struct {
	// Path is the file's path, even if there is no file.
	Path string
	// Defaults returns the values of keys that are not in the file. Invalid accepts all
	// of them.
	Defaults func() T
	// Invalid returns the full names of the keys with invalid values, such as
	// usage.interval, as far as types do not suffice.
	Invalid func(T) []string
}

// Name is the file's name, also in texts for people.
const Name = "config.toml"

// maxSize, in bytes, is a hundred times the size of a file with every key.
const maxSize = 1 << 20

// Path is the path of a person's file. It fails if the environment names no home
// directory. Source: XDG Base Directory Specification, which ignores a relative
// $XDG_CONFIG_HOME.
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

// Exists reports whether there is anything at the file's path, even a broken link.
func (f File[T]) Exists() bool {
	_, err := os.Lstat(f.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Load reads the file. A missing file gives the defaults. Any error is a *BrokenError,
// with the defaults as the T.
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

// text returns the file's content, empty for a missing file. Its error is a
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
