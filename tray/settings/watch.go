package settings

import (
	"context"
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
	// lookEvery is how often the file is read where no changes are told.
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
	w := &watch[T]{file: f, target: path, changed: changed, last: known, lastErr: knownErr, log: logger}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.miss(ctx, err)
		w.run(ctx, nil, nil)
		return nil
	}
	defer func() { _ = watcher.Close() }() // its events are not needed any more
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
	target  string            // the file that the path led to last
	dirs    []string          // those that are watched
	missed  bool              // changes are

	last    T // what was told, or known before
	lastErr error
}

// run follows the file until ctx ends.
func (w *watch[T]) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) {
	next := time.After(0) // what was saved before the watch began is told as well
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

// concerns tells whether an event may be about the file, the one it links to, or a
// directory above. An event too many costs one read.
func (w *watch[T]) concerns(path string) bool {
	if slices.Contains(w.dirs, path) {
		return true
	}
	elements := strings.Split(filepath.ToSlash(w.file.Path)+"/"+filepath.ToSlash(w.target), "/")
	return slices.ContainsFunc(elements, func(e string) bool { return strings.EqualFold(e, filepath.Base(path)) })
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

// follow watches the directory of the file and that of the file it links to, or the
// nearest directory above that exists.
func (w *watch[T]) follow(ctx context.Context) {
	if w.watcher == nil {
		return
	}
	var failed error
	for range 5 { // while it looks, a directory may be made
		if target, err := filepath.EvalSymlinks(w.file.Path); err == nil { // else the last one may come back
			w.target = target
		}
		dirs := []string{existing(filepath.Dir(w.file.Path)), existing(filepath.Dir(w.target))}
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
		w.dirs = dirs
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

// existing is a directory, or the nearest one above it that exists, without links.
func existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if plain, err := filepath.EvalSymlinks(dir); err == nil {
		return plain
	}
	return dir
}
