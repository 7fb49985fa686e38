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
	// settleTime is the delay of reading after the first event: many editors write a
	// file in several steps.
	settleTime = 100 * time.Millisecond
	// lookEvery is the reading interval without reports of changes.
	lookEvery = time.Minute
)

// Watch calls changed with Load's result each time that it differs from the previous
// one. The first comparison is with the caller's known and knownErr. Watch follows a
// file that is created, replaced or removed, in directories that do not exist yet, and
// through a link. It returns nil when ctx ends; only its own goroutine calls changed.
//
// If the system reports no changes, or stops reporting (inotify has limits), that is
// logged once and the file is read once a minute.
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

	watcher *fsnotify.Watcher // nil if the system reports no changes
	target  string            // the file that the path led to last
	dirs    []string          // the watched ones
	missed  bool              // changes are missed

	last    T // the last reported value, or the known one
	lastErr error
}

// run follows the file until ctx ends.
func (w *watch[T]) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) {
	next := time.After(0) // a save before the watch began is reported as well
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

// concerns reports whether an event may concern the file, its link's target, or a
// directory above. A superfluous event costs one read.
func (w *watch[T]) concerns(path string) bool {
	if slices.Contains(w.dirs, path) {
		return true
	}
	elements := strings.Split(filepath.ToSlash(w.file.Path)+"/"+filepath.ToSlash(w.target), "/")
	return slices.ContainsFunc(elements, func(e string) bool { return strings.EqualFold(e, filepath.Base(path)) })
}

// look reads the file and reports a change.
func (w *watch[T]) look(ctx context.Context) {
	w.follow(ctx)
	now, err := w.file.Load()
	if reflect.DeepEqual(now, w.last) && say.Sentence(err, "") == say.Sentence(w.lastErr, "") {
		return
	}
	w.last, w.lastErr = now, err
	w.changed(now, err)
}

// follow watches the directories of the file and of its link's target, or the nearest
// existing ones above.
func (w *watch[T]) follow(ctx context.Context) {
	if w.watcher == nil {
		return
	}
	var failed error
	for range 5 { // while it looks, a directory may be made
		if target, err := filepath.EvalSymlinks(w.file.Path); err == nil { // else the last target may come back
			w.target = target
		}
		dirs := []string{existing(filepath.Dir(w.file.Path)), existing(filepath.Dir(w.target))}
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
		failed = nil
		for _, dir := range dirs { // this also watches a replaced one anew
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

// miss notes that changes may be missed from now on.
func (w *watch[T]) miss(ctx context.Context, err error) {
	if !w.missed {
		w.log.WarnContext(ctx, "config file is read once a minute only", slog.Any("err", redact.Path(err)))
	}
	w.missed = true
}

// existing is a directory, or the nearest existing one above it, without links.
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
