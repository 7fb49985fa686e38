package settings

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"windsock/probe/redact"
)

const (
	// settleTime is how long nothing has to happen before the file is read:
	// many editors write one in several steps.
	settleTime = 100 * time.Millisecond
	// settleLimit is how long it may take until it is read all the same.
	settleLimit = time.Second
	// lookEvery is how often the file is read where nobody tells of changes.
	lookEvery = time.Minute
)

// Watch calls changed with what Load makes of the file, each time that this is
// something else than before, first than what the caller has had of it: known and
// knownErr. It follows a file that is made, replaced and taken away, in directories
// that are not there yet, and through links. It returns nil when ctx ends; changed is
// called on its goroutine and by no other.
//
// Where the system tells of no changes, or of no more (inotify has limits), that
// is logged once and the file is read once a minute.
func (f File[T]) Watch(ctx context.Context, logger *slog.Logger, known T, knownErr error, changed func(T, error)) error {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return broken("it cannot be watched: "+redact.Path(err).Error(), redact.Path(err))
	}
	f.Path = path
	w := &watch[T]{
		path: path, load: f.Load, changed: changed, last: known, err: knownErr,
		blind: func(err error) {
			logger.WarnContext(ctx, "config file is read once a minute only", slog.Any("err", redact.Path(err)))
		},
	}
	w.listen(ctx)
	return nil
}

// notifier tells of what happens in directories.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
}

// watch is the state of Watch, which owns it.
type watch[T any] struct {
	path    string
	load    func() (T, error)
	changed func(T, error)
	// blind is called when changes begin to be missed.
	blind func(error)

	// notifier is nil where there is none.
	notifier notifier
	dirs     []string
	// names are the files whose events count, in lower case.
	names  map[string]bool
	missed bool

	// last and err are what was told, or known before.
	last T
	err  error
}

// listen follows the file with what the system has for it until ctx ends.
func (w *watch[T]) listen(ctx context.Context) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.blind(err)
		w.run(ctx, nil, nil)
		return
	}
	defer func() { _ = watcher.Close() }() // nobody listens any more
	w.notifier = watcher
	w.run(ctx, watcher.Events, watcher.Errors)
}

// run follows the file until ctx ends.
func (w *watch[T]) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) {
	settle, minute := time.NewTimer(lookEvery), time.NewTimer(lookEvery)
	defer settle.Stop()
	defer minute.Stop()
	settle.Stop()
	w.missed = w.notifier == nil
	w.look() // what was saved before anybody watched is told as well
	if !w.missed {
		minute.Stop() // nobody wakes up for nothing
	}
	// unsettled is when the first of the events came that were not looked into.
	var unsettled time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.names[strings.ToLower(e.Name)] {
				continue
			}
		case <-errs: //nolint:errcheck // whatever it is, events may be lost, and these among them
		case <-settle.C:
			w.look()
			unsettled = time.Time{}
			if w.missed {
				minute.Reset(lookEvery)
			}
			continue
		case <-minute.C:
			w.look()
			if w.missed {
				minute.Reset(lookEvery)
			}
			continue
		}
		if unsettled.IsZero() {
			unsettled = time.Now()
		}
		settle.Reset(min(settleTime, max(0, settleLimit-time.Since(unsettled))))
	}
}

// look reads the file and tells of it.
func (w *watch[T]) look() {
	w.follow()
	now, err := w.load()
	if reflect.DeepEqual(now, w.last) && said(err) == said(w.err) {
		return
	}
	w.last, w.err = now, err
	w.changed(now, err)
}

// follow sees to it that what happens on the way to the file is told from now
// on.
func (w *watch[T]) follow() {
	if w.notifier == nil {
		return
	}
	var failed error
	var before []place
	// While it looks, things may move; each round sees what was not watched in
	// the last one.
	for range 10 {
		way := wayTo(w.path)
		if slices.Equal(way, before) {
			break
		}
		before, failed = way, nil
		w.names = map[string]bool{}
		var dirs []string
		for _, p := range way {
			w.names[strings.ToLower(p.dir)] = true
			w.names[strings.ToLower(p.name)] = true
			dirs = append(dirs, p.dir)
			// A directory that was replaced by another one of its name is watched
			// anew by this; for all others it changes nothing.
			if err := w.notifier.Add(p.dir); err != nil {
				failed = err
			}
		}
		for _, dir := range w.dirs {
			if !slices.Contains(dirs, dir) {
				_ = w.notifier.Remove(dir) // it may be gone, and its watch with it
			}
		}
		w.dirs = dirs
	}
	if failed != nil && !w.missed {
		w.blind(failed)
	}
	w.missed = failed != nil
}

// said is all that an error says.
func said(err error) string {
	if err == nil {
		return ""
	}
	if problems, ok := errors.AsType[*BrokenError](err); ok {
		return sentences(problems.Problems)
	}
	return err.Error()
}
