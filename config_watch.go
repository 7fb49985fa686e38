package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
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

// watchConfig calls changed with what loadConfig makes of the file, each time
// that this is something else than before, first than when watchConfig was
// called. It follows a file that is made, replaced and taken away, in
// directories that are not there yet, and through links. It returns nil when
// ctx ends; changed is called on its goroutine and by no other.
//
// Where the system tells of no changes, or of no more (inotify has limits), that
// is logged once and the file is read once a minute.
func watchConfig(ctx context.Context, path string, changed func(config, error)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fileProblem("it cannot be watched: "+withoutPath(err).Error(), withoutPath(err))
	}
	w := &configWatch{
		path: path, load: loadConfig, changed: changed,
		blind: func(err error) {
			slog.WarnContext(ctx, "config file is read once a minute only", slog.Any("err", nameless(err)))
		},
	}
	w.watch(ctx)
	return nil
}

// nameless is an error of a watcher without a path, which may hold a user's
// name.
func nameless(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return withoutPath(err)
}

// notifier tells of what happens in directories.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
}

// configWatch is the state of watchConfig, which owns it.
type configWatch struct {
	path    string
	load    func(path string) (config, error)
	changed func(config, error)
	// blind is called when changes begin to be missed.
	blind func(error)

	// notifier is nil where there is none.
	notifier notifier
	dirs     []string
	// names are the files whose events count, in lower case.
	names  map[string]bool
	missed bool

	config config
	err    error
}

// watch follows the file with what the system has for it until ctx ends.
func (w *configWatch) watch(ctx context.Context) {
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
func (w *configWatch) run(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) {
	settle, minute := time.NewTimer(lookEvery), time.NewTimer(lookEvery)
	defer settle.Stop()
	defer minute.Stop()
	settle.Stop()
	w.missed = w.notifier == nil
	w.follow()
	w.config, w.err = w.load(w.path)
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
func (w *configWatch) look() {
	w.follow()
	config, err := w.load(w.path)
	if reflect.DeepEqual(config, w.config) && text(err) == text(w.err) {
		return
	}
	w.config, w.err = config, err
	w.changed(config, err)
}

// follow sees to it that what happens on the way to the file is told from now
// on.
func (w *configWatch) follow() {
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

// place is a file and the directory that its events are told of in.
type place struct{ dir, name string }

// wayTo is every place where something may happen that makes path lead to
// another file: the links on the way, and its end, or the first thing on the
// way that is not there. path is absolute.
func wayTo(path string) []place {
	var way []place
	dir, rest := split(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		next := filepath.Join(dir, name)
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return append(way, place{dir, next})
		case info.Mode()&fs.ModeSymlink != 0:
			way = append(way, place{dir, next})
			target, err := os.Readlink(next)
			if links++; err != nil || links > 40 {
				return way
			}
			if filepath.IsAbs(target) {
				dir, _ = split(target)
			}
			_, parts := split(target)
			rest = append(parts, rest...)
		case len(rest) == 0, !info.IsDir():
			return append(way, place{dir, next})
		default:
			dir = next
		}
	}
	return way
}

// split is a path's root and its parts.
func split(path string) (root string, parts []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator),
		strings.Split(filepath.ToSlash(path[len(volume):]), "/")
}

func text(err error) string {
	if err == nil {
		return ""
	}
	if problems, ok := errors.AsType[*configError](err); ok {
		return sentences(problems.Problems)
	}
	return err.Error()
}
