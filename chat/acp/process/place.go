package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"windsock/probe/files"
	"windsock/probe/redact"
)

// Room is the directory that holds the places of all agents, of every Windsock of this
// user.
type Room struct{ dir string }

// NewRoom returns the room in a directory, which is made when it is needed.
func NewRoom(dir string) Room { return Room{dir} }

// Place is where one agent works. Whoever has it holds its lock, so that another
// Windsock leaves it alone.
type Place struct {
	// Work is an empty directory, the agent's working directory. Settings is another
	// one, for what the agent is told at its start.
	Work, Settings string

	dir, mark string
	lock      *flock.Flock
}

var errHeld = errors.New("another process has it")

const (
	roomLock  = "lock" // held while a place is made, and while places are cleared
	placeLock = "lock"
	lockTime  = 10 * time.Second
	lockPoll  = 20 * time.Millisecond

	removeTries = 25
)

// Make makes a place, after it has cleared those of killed processes.
func (r Room) Make(ctx context.Context) (*Place, error) {
	if err := files.MakeDir(r.dir); err != nil {
		return nil, err
	}
	var made *Place
	err := r.locked(ctx, func() error {
		r.clear()
		dir := filepath.Join(r.dir, uuid.NewString())
		p := &Place{
			Work: filepath.Join(dir, "work"), Settings: filepath.Join(dir, "settings"), dir: dir, mark: filepath.Base(dir),
			lock: lockOf(filepath.Join(dir, placeLock)),
		}
		for _, d := range []string{dir, p.Work, p.Settings} {
			if err := os.Mkdir(d, 0o700); err != nil { //nolint:gosec // below Windsock's own directory
				return fmt.Errorf("make place: %w", redact.Path(err))
			}
		}
		if held, err := p.lock.TryLock(); err != nil || !held {
			return fmt.Errorf("lock place: %w", cmp.Or(redact.Path(err), errHeld))
		}
		made = p
		return nil
	})
	return made, err
}

// Sweep removes the places of killed processes, and ends what still runs in them.
// Without any it makes nothing.
func (r Room) Sweep(ctx context.Context) error {
	if _, err := os.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.locked(ctx, func() error { r.clear(); return nil })
}

func (r Room) locked(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	lock := lockOf(filepath.Join(r.dir, roomLock))
	if held, err := lock.TryLockContext(ctx, lockPoll); err != nil || !held {
		return fmt.Errorf("lock places: %w", cmp.Or(redact.Path(err), errHeld))
	}
	defer func() { _ = lock.Unlock() }() // the end of the process does it, too
	return do()
}

// clear removes each place that nobody holds. What cannot be removed now is left for
// the next time.
func (r Room) clear() {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || uuid.Validate(e.Name()) != nil {
			continue // not one of ours
		}
		dir := filepath.Join(r.dir, e.Name())
		lock := lockOf(filepath.Join(dir, placeLock))
		if held, err := lock.TryLock(); err == nil && held {
			killMarked(e.Name())
			_ = lock.Unlock() // Windows removes no locked file
			remove(dir)
		}
	}
}

// Alone reports whether no other agent runs, of any Windsock of this user.
func (p *Place) Alone(ctx context.Context) bool {
	room, alone := Room{filepath.Dir(p.dir)}, true
	err := room.locked(ctx, func() error {
		entries, err := os.ReadDir(room.dir)
		for _, e := range entries {
			if !e.IsDir() || e.Name() == p.mark {
				continue
			}
			lock := lockOf(filepath.Join(room.dir, e.Name(), placeLock))
			held, err := lock.TryLock()
			alone = alone && (held || err != nil)
			_ = lock.Unlock() // of a killed process
		}
		return err
	})
	return err == nil && alone
}

// Remove removes the place.
func (p *Place) Remove() {
	_ = p.lock.Unlock() // as in clear
	remove(p.dir)
}

// remove removes a place's directory. Another Windsock that looks whether the place is
// held may have its lock open, or has just made one anew, so that it takes a few tries.
// What is left then goes with the next Make.
func remove(dir string) {
	for range removeTries {
		if err := os.RemoveAll(dir); err == nil { //nolint:gosec // made by Make
			return
		}
		time.Sleep(lockPoll)
	}
}

func lockOf(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
}
