// Package files reads and writes the small files that Windsock keeps. A read has a
// limit and never blocks; a write replaces the whole file or nothing. Errors hold no
// path (package redact).
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"windsock/probe/redact"
)

// Errors of Read.
var (
	ErrTooLarge   = errors.New("it is too large")
	ErrNotRegular = errors.New("it is no ordinary file")
)

// Read returns the content of a regular file of at most limit bytes. It follows a link.
// It does not open any other kind of file: opening a pipe would block.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, redact.Path(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, redact.Path(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, redact.Path(err)
	}
	if int64(len(content)) > limit {
		return nil, ErrTooLarge
	}
	return content, nil
}

// Replace writes a file atomically: at any moment, also after a power cut, it has its
// old or its new content. Its directory must exist. A link at path is replaced, not
// followed.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, mode, (*os.File).Sync)
}

// Overwrite is Replace without waiting for the disk: after a power cut the file may be
// cut off. It is for what is written often and is soon out of date.
func Overwrite(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, mode, func(*os.File) error { return nil })
}

func replace(path string, content []byte, mode fs.FileMode, flush func(*os.File) error) error {
	dir := filepath.Dir(path)
	removeDrafts(dir)
	draft, err := os.CreateTemp(dir, draftPrefix+"*")
	if err != nil {
		return redact.Path(err)
	}
	_, err = draft.Write(content)
	err = errors.Join(err, draft.Chmod(mode), flush(draft), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		_ = os.Remove(draft.Name()) // the caller gets err
		return redact.Path(err)
	}
	return nil
}

// MakeDir makes a directory, and its parents, that only this user can read.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory: %w", redact.Path(err))
	}
	return nil
}

// MoveAside renames an unusable file within its directory and returns the new name
// without the directory. It overwrites nothing.
func MoveAside(path string, now time.Time) (string, error) {
	base := filepath.Base(path) + "-unreadable-" + now.UTC().Format("20060102-150405")
	for n, name := 2, base; n <= 100; n, name = n+1, fmt.Sprintf("%s-%d", base, n) {
		aside := filepath.Join(filepath.Dir(path), name)
		if _, err := os.Lstat(aside); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", redact.Path(err)
		}
		return name, redact.Path(os.Rename(path, aside))
	}
	return "", fs.ErrExist
}

// draftPrefix begins the names of drafts. No other program uses it.
const draftPrefix = ".windsock-draft-"

// draftLife is far longer than any write takes.
const draftLife = time.Minute

// removeDrafts removes the drafts of processes that were killed while writing.
func removeDrafts(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // left-over drafts do no harm
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), draftPrefix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > draftLife {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next write tries again
		}
	}
}
