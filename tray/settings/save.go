package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// ErrComments is what a save returns where keeping the values would lose comments,
// or what cannot be read.
var ErrComments = errors.New("save settings: comments would be lost")

// Save makes a change to what is in the file, which is there as it was or as it shall
// be, whatever happens; a change of nothing leaves it alone. Where that costs comments
// in a file that cannot be edited in place, it fails with ErrComments unless lose is
// set. A file that is no TOML is kept beside the new one then. Other errors are
// say.Tellers.
func (f File[T]) Save(apply func(*T), lose bool) error {
	saving.Lock()
	defer saving.Unlock()
	text, err := f.text()
	if err != nil {
		return err
	}
	before, after := f.read(text), f.read(text).value
	apply(&after)
	all, err := changes(before.value, after)
	if err != nil {
		return unsaved(err)
	}
	fine := len(before.problems) == 0
	if fine && len(all) == 0 {
		return nil
	}
	edited, ok := f.edit(text, all, after)
	if !ok && !lose && (!fine || f.hasComments(text)) {
		return ErrComments
	}
	if !ok || len(text) == 0 {
		if edited, err = f.rewritten(after); err != nil {
			return unsaved(err)
		}
	}
	if err := f.replace(text, edited, before.cut); err != nil {
		return unsaved(err)
	}
	return nil
}

// saving lets one save at a time in this process; another process, or an editor,
// is seen by what it has changed.
var saving sync.Mutex

func unsaved(err error) error {
	err = redact.Path(err)
	return &say.Error{What: Name + " cannot be written: " + err.Error() + ".", Cause: err}
}

// replace puts a text in the place of the one that is there, where a link leads, with
// the mode that that one has. With aside the old one is kept under another name.
func (f File[T]) replace(before, text []byte, aside bool) error {
	path, mode := f.Path, fs.FileMode(0o600)
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if now, err := f.text(); err != nil || !bytes.Equal(now, before) {
		return errors.New("another program has just written it")
	}
	if aside {
		if _, err := files.MoveAside(path, time.Now()); err != nil {
			return err
		}
	}
	return files.Replace(path, text, mode)
}

// ErrThere is what Init returns where there is a file.
var ErrThere error = &say.Error{What: Name + " is there already; it was left as it is."}

// Init makes the file, with every key commented out, and the directories above it,
// for the user alone. One that is there, be it a broken link, is left as it is;
// the error is ErrThere then.
func (f File[T]) Init() error {
	if _, err := os.Lstat(f.Path); err == nil {
		return ErrThere
	}
	text, err := f.template()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.Path), 0o700)
	}
	if err == nil {
		err = files.Replace(f.Path, []byte(text), 0o600)
	}
	if err != nil {
		err = redact.Path(err)
		return &say.Error{What: Name + " cannot be made: " + err.Error() + ".", Cause: err}
	}
	return nil
}
