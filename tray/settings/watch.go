package settings

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"windsock/probe/redact"
	"windsock/probe/say"
)

const (
	// settleTime is how long after the first event the file is read: many editors write
	// one in several steps.
	settleTime = 100 * time.Millisecond
	// lookEvery is how often the file is read where nobody tells of changes.
	lookEvery = time.Minute
)

// Watch calls changed with what Load makes of the file, each time that this is
// something else than before, first than what the caller has had of it: known and
// knownErr. It follows a file that is made, replaced and taken away, in directories
// that are not there yet, and where a link leads. It returns nil when ctx ends; changed
// is called on its goroutine and by no other.
//
// Where the system tells of no changes, or of no more (inotify has limits), that
// is logged once and the file is read once a minute.
func (f File[T]) Watch(ctx context.Context, logger *slog.Logger, known T, knownErr error, changed func(T, error)) error {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return broken("it cannot be watched: "+redact.Path(err).Error(), redact.Path(err))
	}
	f.Path = path
	w := &watch[T]{file: f, changed: changed, last: known, lastErr: knownErr, log: logger}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.miss(ctx, err)
		w.run(ctx, nil, nil)
		return nil
	}
	defer func() { _ = watcher.Close() }() // nobody listens any more
	w.watcher = watcher
	w.run(ctx, watcher.Events, watcher.Errors)
	return nil
}

// watch is the state of Watch, which owns it.
type watch[T any] struct {
	file    File[T]
	changed func(T, error)
	log     *slog.Logger

	watcher *fsnotify.Watcher // nil where there is none
	// paths are the file, free of links above it, and where it leads if it is a link.
	paths  []string
	dirs   []string // those that are watched
	missed bool     // changes are

	last    T // what was told, or known before
	lastErr error
}

// run follows the file until ctx ends.
func (w *watch[T]) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) {
	now := make(chan time.Time)
	close(now)
	var next <-chan time.Time = now // what was saved before anybody watched is told as well
	settling := true
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.concerns(e.Name) {
				continue
			}
		case <-errs: //nolint:errcheck // whatever it is, events may be lost, and these among them
		case <-next:
			w.look(ctx)
			next, settling = nil, false
			if w.missed {
				next = time.After(lookEvery)
			}
			continue
		}
		if !settling {
			next, settling = time.After(settleTime), true
		}
	}
}

// concerns tells whether a path is the file, or above it.
func (w *watch[T]) concerns(path string) bool {
	return slices.ContainsFunc(w.paths, func(own string) bool {
		return len(path) <= len(own) && strings.EqualFold(path, own[:len(path)]) &&
			(len(path) == len(own) || os.IsPathSeparator(own[len(path)]))
	})
}

// look reads the file and tells of it.
func (w *watch[T]) look(ctx context.Context) {
	w.follow(ctx)
	now, err := w.file.Load()
	if reflect.DeepEqual(now, w.last) && say.Sentence(err, "") == say.Sentence(w.lastErr, "") {
		return
	}
	w.last, w.lastErr = now, err
	w.changed(now, err)
}

// follow watches the directory of the file and that of where it leads, or what there
// is above them.
func (w *watch[T]) follow(ctx context.Context) {
	if w.watcher == nil {
		return
	}
	var failed error
	for range 5 { // while it looks, a directory may be made
		paths := []string{unlinked(w.file.Path)}
		if target, err := filepath.EvalSymlinks(w.file.Path); err == nil {
			paths = append(paths, target)
		} else if info, err := os.Lstat(w.file.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			paths = append(paths, w.paths...) // where it led to may come back
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		var dirs []string
		for _, path := range paths {
			dirs = append(dirs, existing(filepath.Dir(path)))
		}
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
		failed = nil
		for _, dir := range dirs { // one that was replaced is watched anew by this
			if err := w.watcher.Add(dir); err != nil {
				failed = err
			}
		}
		for _, dir := range w.dirs {
			if !slices.Contains(dirs, dir) {
				_ = w.watcher.Remove(dir) // it may be gone, and its watch with it
			}
		}
		same := slices.Equal(dirs, w.dirs)
		w.paths, w.dirs = paths, dirs
		if same {
			break
		}
	}
	if failed != nil {
		w.miss(ctx, failed)
	} else {
		w.missed = false
	}
}

// miss notes that changes are missed from now on.
func (w *watch[T]) miss(ctx context.Context, err error) {
	if !w.missed {
		w.log.WarnContext(ctx, "config file is read once a minute only", slog.Any("err", redact.Path(err)))
	}
	w.missed = true
}

// unlinked is a path, free of links above its last part as far as that is there.
func unlinked(path string) string {
	dir := existing(filepath.Dir(path))
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return path
	}
	return target + strings.TrimPrefix(path, dir)
}

// existing is a directory, or what there is above it.
func existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
