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

// ErrComments is Save's error if storing the values would lose comments, or unreadable
// text.
var ErrComments = errors.New("save settings: comments would be lost")

// Save applies a change to the file. The file always has either its old or its new
// content; an empty change does not touch it. If the file cannot be edited in place,
// comments would be lost: then Save fails with ErrComments unless lose is set, and
// keeps a file that is no TOML beside the new one. Other errors are say.Tellers.
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

// saving allows one save at a time in this process. The changes of another process, or
// of an editor, are detected.
var saving sync.Mutex

func unsaved(err error) error {
	err = redact.Path(err)
	return &say.Error{What: Name + " cannot be written: " + err.Error() + ".", Cure: files.Cure(err, ""), Cause: err}
}

// replace replaces the existing text, following a link, and keeps the file's mode.
// With aside it keeps the old file under another name.
func (f File[T]) replace(before, text []byte, aside bool) error {
	path, mode := f.Path, fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil { // a read-only file stays as it is
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

// ErrThere is Init's error if there is a file.
var ErrThere error = &say.Error{What: Name + " is there already; it was left as it is."}

// Init makes the file, with every key commented out, and the directories above it, for
// this user only. It leaves an existing file, even a broken link, as it is; the error
// is ErrThere then.
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
		return &say.Error{What: Name + " cannot be made: " + err.Error() + ".", Cure: files.Cure(err, ""), Cause: err}
	}
	return nil
}
