package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/system"
)

// Request is a request to the process that holds the lock. It is a file in the lock's
// directory, which only this user may write to, and the holder removes it. Unlike a
// socket, a directory allows names of any length, and watching it needs no wake-ups.
type Request struct {
	// View is the view to show.
	View string `json:"view"`
	// Activation and StartupID are the asking process's permission to bring a window to
	// the front ($XDG_ACTIVATION_TOKEN, $DESKTOP_STARTUP_ID); mostly empty.
	Activation string `json:"activation,omitempty"`
	StartupID  string `json:"startup_id,omitempty"`
}

const (
	// requestName is a single name, since only the last request counts.
	requestName = "windsock.request.json"
	// maxRequest, in bytes, is above any request's size.
	maxRequest = 8 << 10
	// takenPoll is the interval of checking whether a request was accepted.
	takenPoll = 10 * time.Millisecond
	// readTries is how often a request is read that cannot be opened.
	readTries = 50
	// requestLife is how long a request is valid.
	requestLife = 10 * time.Second
)

// ErrNotRunning is Ask's error if no process accepts the request.
var ErrNotRunning = errors.New("not running")

// Ask sends a request to the process that holds the lock of a directory, and returns
// nil when it has accepted. If no process holds the lock, or the holder does not
// accept before the end of ctx, the error is ErrNotRunning.
func Ask(ctx context.Context, dir string, request Request) error {
	lock := filepath.Join(dir, fileName)
	if _, err := os.Lstat(lock); err != nil {
		return ErrNotRunning
	}
	if pid, known := readPID(lock); known && (pid == 0 || !system.Runs(pid)) {
		return ErrNotRunning
	}
	path := filepath.Join(dir, requestName)
	text, err := json.Marshal(request)
	if err == nil {
		err = files.Replace(path, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("ask instance: %w", err)
	}
	tick := time.NewTicker(takenPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			if os.Remove(path) != nil { // it was accepted at the last moment
				return nil
			}
			return ErrNotRunning
		case <-tick.C:
			if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
	}
}

// Requests calls take with other processes' requests until ctx ends, and returns nil
// when the last take has returned. The first request may have arrived a moment before.
// The asking process does not wait for take; of several requests meanwhile, the last
// one counts. If the system reports no changes, the error says so.
func (l *Lock) Requests(ctx context.Context, take func(Request)) error {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer func() { _ = watcher.Close() }() // its events are not needed any more
		err = watcher.Add(l.dir)
	}
	if err != nil {
		return fmt.Errorf("wait for requests: %w", redact.Path(err))
	}
	latest := make(chan Request, 1) // only this goroutine sends, and closes it
	var taking sync.WaitGroup
	defer taking.Wait()
	defer close(latest)
	taking.Go(func() {
		for request := range latest {
			if ctx.Err() == nil {
				take(request)
			}
		}
	})
	for {
		if request, ok := takeRequest(ctx, filepath.Join(l.dir, requestName)); ok {
			select {
			case <-latest:
			default:
			}
			latest <- request
		}
		select {
		case <-ctx.Done():
			return nil
		case <-watcher.Events:
		case <-watcher.Errors: //nolint:errcheck // whatever it is, events may be lost
		}
	}
}

// takeRequest takes the request away, and returns it if it is good. On Windows a file
// that was just moved to its name cannot be opened until the mover has closed it:
// takeRequest tries again, or the request would be lost.
func takeRequest(ctx context.Context, path string) (request Request, ok bool) {
	var text []byte
	var info fs.FileInfo
	for range readTries {
		var err error
		if info, err = os.Lstat(path); err != nil {
			return Request{}, false
		}
		text, err = files.Read(path, maxRequest)
		if err == nil || errors.Is(err, files.ErrTooLarge) || errors.Is(err, files.ErrNotRegular) {
			break
		}
		select {
		case <-ctx.Done():
			return Request{}, false
		case <-time.After(takenPoll):
		}
	}
	if os.Remove(path) != nil {
		return Request{}, false // the asking process took it back
	}
	// An old request was left by a process that was killed.
	return request, time.Since(info.ModTime()) < requestLife && json.Unmarshal(text, &request) == nil
}
