package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"windsock/probe/redact"
)

// ErrComments is what a save returns where keeping the values would lose comments,
// or what cannot be read.
var ErrComments = errors.New("save settings: comments would be lost")

// Save makes a change to what is in the file, which is there as it was or as it shall
// be, whatever happens; a change of nothing leaves it alone. Where that costs comments
// in a file that cannot be edited in place, it fails with ErrComments unless lose is
// set. Other errors are a *BrokenError for what is no file that can be read, and what
// is in the way of writing. apply may be called again, where another program has
// written the file meanwhile.
func (f File[T]) Save(apply func(*T), lose bool) error {
	saving.Lock()
	defer saving.Unlock()
	for range saveTries {
		text, err := read(f.Path)
		if err != nil {
			return err
		}
		before := f.salvage(text)
		after := f.salvage(text)
		apply(&after)
		all, err := changes(before, after)
		if err != nil {
			return err
		}
		_, broken := f.parse(text)
		if broken == nil && len(all) == 0 {
			return nil
		}
		edited, ok := f.edit(text, all, after)
		switch {
		case len(text) == 0, !ok && (lose || broken == nil && !f.hasComments(text)):
			if edited, err = f.rewritten(after); err != nil {
				return err
			}
		case !ok:
			return ErrComments
		}
		err = replace(f.Path, text, edited)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errChanged) {
			return &saveError{redact.Path(err)}
		}
	}
	return &saveError{errChanged}
}

// saving lets one save at a time in this process; another process, or an editor,
// is seen by what it has changed.
var saving sync.Mutex

// saveTries is how often another may be quicker.
const saveTries = 5

var errChanged = errors.New("another program keeps writing it")

// saveError is a file that could not be written.
type saveError struct{ cause error }

func (e *saveError) Error() string { return "write config: " + e.cause.Error() }
func (e *saveError) Unwrap() error { return e.cause }
func (e *saveError) Sentence() string {
	return Name + " cannot be written: " + e.cause.Error() + "."
}

// replace puts a whole file in the place of the one that is there, where a link
// leads, with the mode that that one has. The error is errChanged where that does
// not hold what was read before any more.
func replace(path string, before, text []byte) error {
	mode := fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil { // one that is not to be written stays as it is
			return err
		} else if err := f.Close(); err != nil {
			return err
		}
	}
	whole, err := draft(filepath.Dir(path), text, mode)
	if err != nil {
		return err
	}
	if now, unread := read(path); unread != nil || !bytes.Equal(now, before) {
		err = errChanged
	} else {
		err = os.Rename(whole, path)
	}
	if err != nil {
		_ = os.Remove(whole) // err says enough
	}
	return err
}
