// Package settings keeps what a person may settle, in one TOML file that a
// person writes as well. It knows no key: a struct says which there are.
//
// A file is read with everything that is wrong with it, each with its line; is
// changed in place, so that what else a person has written there stays; is made
// with every key behind a #; and is followed while it changes. A page that lets a
// person fill it in gets it as a Form.
//
// No error has the file's directory in it, for that has the name of its user.
package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// File is the file that a T is kept in. A T is a struct of the file's sections, and
// those are structs of their keys. A key is a bool, an int, a string, a
// time.Duration, or a list of ints or strings. The tags of a field are what the file
// says of it: its name (toml), for a key what it is for, as a sentence (comment), and
// which values it takes, as the rest of "It takes …" without the full stop (takes).
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
		if err != nil {
			return "", &homelessError{err}
		}
	}
	return filepath.Join(dir, "windsock", Name), nil
}

// homelessError is an environment that names no home directory.
type homelessError struct{ cause error }

func (e *homelessError) Error() string { return "find config: " + e.cause.Error() }
func (e *homelessError) Unwrap() error { return e.cause }

// Sentence has the cause in it, which says that the variable is not defined.
func (e *homelessError) Sentence() string {
	return "Windsock cannot tell where its settings are: " + e.cause.Error() + ". Set it and try again."
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
	text, err := read(f.Path)
	if err != nil {
		return f.Defaults(), err
	}
	return f.parse(text)
}

// parse reads the text of a file, and finds everything that is wrong with it. Its
// error is a *BrokenError, and the T beside it is the defaults.
func (f File[T]) parse(text []byte) (T, error) {
	c := f.Defaults()
	r := newReader(text, settingsOf(&c))
	if r.checkBytes() && r.readAll() {
		r.checkWhole()
	}
	r.refuseValues(f.Invalid(c))
	if len(r.problems) == 0 {
		return c, nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return f.Defaults(), &BrokenError{Problems: r.problems}
}

// salvage is what can be read of a text, with the defaults for the rest.
func (f File[T]) salvage(text []byte) T {
	c, defaults := f.Defaults(), f.Defaults()
	r := newReader(text, settingsOf(&c))
	if !r.checkBytes() {
		return c
	}
	r.readAll()
	usual := settingsOf(&defaults)
	for _, name := range f.Invalid(c) {
		if s, ok := find(usual, name); ok {
			r.keys[name].value.Set(s.value)
		}
	}
	return c
}
