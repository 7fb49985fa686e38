package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"windsock/probe/system"
)

// Wish is what another process asks the one that holds the lock for. It lies as a
// file in the lock's directory, which nobody else may write to, and the holder
// takes it away: a directory takes names of any length, other than a socket, and
// to watch it wakes nobody up.
type Wish struct {
	// View is what to show.
	View string `json:"view"`
	// Activation and StartupID are what the asking process was given to let a window
	// come to the front ($XDG_ACTIVATION_TOKEN, $DESKTOP_STARTUP_ID); mostly empty.
	Activation string `json:"activation,omitempty"`
	StartupID  string `json:"startup_id,omitempty"`
}

const (
	wishPrefix = "windsock.wish-"
	wishSuffix = ".json"
	// maxWish is more than any wish has.
	maxWish = 8 << 10
	// wishPoll is how often it is looked whether a wish was taken.
	wishPoll = 10 * time.Millisecond
	// oldWish is how long nobody waits any more for what they wished for.
	oldWish = 10 * time.Second
)

// ErrNotRunning is what Ask says where nobody takes a wish.
var ErrNotRunning = errors.New("not running")

// Ask asks the process that holds the lock of a directory, and returns nil when
// it has taken the wish. Where nobody holds it, or takes it until ctx ends, the
// error is ErrNotRunning.
func Ask(ctx context.Context, dir string, wish Wish) error {
	lock := filepath.Join(dir, fileName)
	if _, err := os.Lstat(lock); err != nil {
		return ErrNotRunning
	}
	if pid := readPID(lock); pid != 0 && !system.Runs(pid) {
		return ErrNotRunning
	}
	text, err := json.Marshal(wish)
	if err != nil {
		return fmt.Errorf("ask instance: %w", err)
	}
	file, err := os.CreateTemp(dir, ".wish-*") // mode 0600
	if err != nil {
		return failure("ask instance", err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	name := wishPrefix + strings.TrimPrefix(filepath.Base(file.Name()), ".wish-") + wishSuffix
	path := filepath.Join(dir, name)
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // err says enough
		return failure("ask instance", err)
	}
	tick := time.NewTicker(wishPoll)
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

// Wishes calls take with the wishes of other processes until ctx ends, and returns
// nil when that is over, too. The first ones may have come a moment before. Who asks
// does not wait for take; of what is wished for meanwhile the last one counts. Where
// the system tells of no changes, the error says so.
func (l *Lock) Wishes(ctx context.Context, take func(Wish)) error {
	dir := filepath.Dir(l.path)
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return failure("wait for wishes", err)
	}
	defer func() { _ = watcher.Close() }() // nobody listens any more
	if err := watcher.Add(dir); err != nil {
		return failure("wait for wishes", err)
	}
	latest := make(chan Wish, 1) // only this goroutine sends, and closes it
	keep := func(wish Wish) {
		select {
		case <-latest:
		default:
		}
		latest <- wish
	}
	var taking sync.WaitGroup
	defer taking.Wait()
	defer close(latest)
	taking.Go(func() {
		for wish := range latest {
			if ctx.Err() == nil {
				take(wish)
			}
		}
	})
	takeAll(dir, keep)
	for {
		select {
		case <-ctx.Done():
			return nil
		case event := <-watcher.Events:
			if strings.HasPrefix(filepath.Base(event.Name), wishPrefix) && event.Has(fsnotify.Create|fsnotify.Write) {
				takeAll(dir, keep)
			}
		case <-watcher.Errors: //nolint:errcheck // whatever it is, events may be lost
			takeAll(dir, keep)
		}
	}
}

// takeAll takes away all wishes that there are.
func takeAll(dir string, take func(Wish)) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), wishPrefix) || !strings.HasSuffix(entry.Name(), wishSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := os.Lstat(path)
		var text []byte
		if err == nil && info.Mode().IsRegular() && info.Size() <= maxWish {
			text, err = os.ReadFile(path)
		}
		if os.Remove(path) != nil {
			continue // somebody has taken it back
		}
		if err != nil || time.Since(info.ModTime()) > oldWish {
			continue // who left it there was killed
		}
		var wish Wish
		if json.Unmarshal(text, &wish) == nil {
			take(wish)
		}
	}
}
