package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"windsock/probe/redact"
)

// Init makes the file, with every key commented out, and the directories above it,
// for nobody but the user. The file is there as a whole or not at all. One that is
// there, be it a broken link, is left as it is; the error is fs.ErrExist then, and
// only then.
func (f File[T]) Init() error {
	text, err := f.template()
	if err != nil {
		return err
	}
	err = create(f.Path, []byte(text))
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) && f.Exists() {
		return &initError{isThere, fs.ErrExist}
	}
	cause := redact.Path(err)
	if errors.Is(cause, fs.ErrExist) { // what is there is in the way of its directory
		cause = errors.New(cause.Error())
	}
	return &initError{Name + " cannot be made: " + cause.Error() + ".", cause}
}

const isThere = Name + " is there already; it was left as it is."

// create makes a draft, takes the name that it shall have, which fails where there is
// a file, and moves it there. What can be seen at any time is nothing, an empty file,
// which means the same, or the whole one.
func create(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	whole, err := draft(filepath.Dir(path), text, 0o600)
	if err != nil {
		return err
	}
	taken, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(taken.Close(), os.Rename(whole, path))
	}
	if err != nil {
		_ = os.Remove(whole) // err says enough
	}
	return err
}

// initError is a file that could not be made.
type initError struct {
	sentence string
	cause    error
}

func (e *initError) Error() string    { return "make config: " + e.cause.Error() }
func (e *initError) Unwrap() error    { return e.cause }
func (e *initError) Sentence() string { return e.sentence }

// ExitCode returns 1.
func (*initError) ExitCode() int { return 1 }
