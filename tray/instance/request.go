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

// Request is what another process asks the one that holds the lock for. It lies as a
// file in the lock's directory, which nobody else may write to, and the holder
// takes it away: a directory takes names of any length, other than a socket, and
// to watch it wakes nobody up.
type Request struct {
	// View is what to show.
	View string `json:"view"`
	// Activation and StartupID are what the asking process was given to let a window
	// come to the front ($XDG_ACTIVATION_TOKEN, $DESKTOP_STARTUP_ID); mostly empty.
	Activation string `json:"activation,omitempty"`
	StartupID  string `json:"startup_id,omitempty"`
}

const (
	// requestName is one name, since the last request counts.
	requestName = "windsock.request.json"
	// maxRequest, in bytes, is more than any request has.
	maxRequest = 8 << 10
	// takenPoll is how often it is looked whether a request was taken.
	takenPoll = 10 * time.Millisecond
	// requestLife is how long a request is good.
	requestLife = 10 * time.Second
)

// ErrNotRunning is what Ask says where nobody takes a request.
var ErrNotRunning = errors.New("not running")

// Ask asks the process that holds the lock of a directory, and returns nil when
// it has taken the request. Where nobody holds it, or takes it until ctx ends, the
// error is ErrNotRunning.
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
			if os.Remove(path) != nil { // it was taken in the last moment
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

// Requests calls take with the requests of other processes until ctx ends, and returns
// nil when that is over, too. The first one may have come a moment before. Who asks
// does not wait for take; of what is asked for meanwhile the last one counts. Where
// the system tells of no changes, the error says so.
func (l *Lock) Requests(ctx context.Context, take func(Request)) error {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer func() { _ = watcher.Close() }() // nobody listens any more
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
		if request, ok := takeRequest(filepath.Join(l.dir, requestName)); ok {
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

// takeRequest takes the request away, and returns it if it is good.
func takeRequest(path string) (request Request, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return Request{}, false
	}
	text, err := files.Read(path, maxRequest)
	if os.Remove(path) != nil || err != nil {
		return Request{}, false // somebody has taken it back
	}
	// Who left an old one there was killed.
	return request, time.Since(info.ModTime()) < requestLife && json.Unmarshal(text, &request) == nil
}
