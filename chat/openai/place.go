package openai

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

const (
	portName = "api-port"
	lockName = "api.lock"
	maxFile  = 4 << 10

	// lockTime is how long another process may hold the lock to make a key or to test
	// the lock.
	lockTime = time.Second
	lockPoll = 10 * time.Millisecond
	// startTime is how long a process with the lock may take to write its port.
	startTime = 3 * time.Second
)

// The reasons not to serve.
var (
	errServes = &say.Error{What: "The local API is served already.", Cure: "`windsock serve --print-env` prints how to reach it."}
	errTaken  = &say.Error{What: "Nothing is served now, and another program has the port.", Cure: "Start `windsock serve` first: it takes another port, which this prints then."}
)

// unkept is the error of a state directory that cannot be written.
func unkept(err error) error {
	return &say.Error{
		What: "The local API cannot keep its key and its port in Windsock's state directory.",
		Cure: files.Cure(err, "See whether that directory is yours."), Cause: err,
	}
}

// place is the directory with the key and the port. The one process that serves locks
// it.
type place struct {
	dir  string
	lock *flock.Flock
}

func lockOf(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
}

// take makes the directory and locks it. The error is errServes if another process
// serves.
func take(ctx context.Context, dir string) (*place, error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, unkept(err)
	}
	p := &place{dir, lockOf(dir)}
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	switch held, err := p.lock.TryLockContext(waiting, lockPoll); {
	case held:
		_ = os.Remove(filepath.Join(dir, portName)) // left by a killed process
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errServes
	default:
		return nil, unkept(fmt.Errorf("lock local API: %w", redact.Path(err)))
	}
}

// leave removes the port and unlocks the directory.
func (p *place) leave() error {
	err := os.Remove(filepath.Join(p.dir, portName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, p.lock.Close()); err != nil {
		return fmt.Errorf("leave local API: %w", redact.Path(err))
	}
	return nil
}

// tellPort writes the server's port.
func (p *place) tellPort(port int) error {
	if err := p.write(portName, strconv.Itoa(port)); err != nil {
		return unkept(fmt.Errorf("write port: %w", err))
	}
	return nil
}

// write writes a file for this user only.
func (p *place) write(name, text string) error {
	return files.Replace(filepath.Join(p.dir, name), []byte(text+"\n"), 0o600)
}

// readPort reads the server's port; ok is false without a usable port.
func readPort(dir string) (port int, ok bool) {
	text, err := files.Read(filepath.Join(dir, portName), maxFile)
	if err != nil {
		return 0, false
	}
	port, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return port, err == nil && port > 0 && port < 1<<16
}

// serves reports whether a process has the lock.
func serves(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, lockName)); err != nil {
		return false
	}
	lock := lockOf(dir)
	held, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !held
}

// servedAt returns the port that is served, or would be. It waits for a process that
// has just begun to serve. If another program listens, which would get the key, the
// error is errTaken.
func servedAt(ctx context.Context, dir string, wanted int) (port int, served bool, _ error) {
	for deadline := time.Now().Add(startTime); serves(dir) && time.Now().Before(deadline); {
		if port, ok := readPort(dir); ok {
			return port, true, nil
		}
		select {
		case <-ctx.Done():
			return 0, false, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
	var dialer net.Dialer
	if c, err := dialer.DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", wanted)); err == nil {
		_ = c.Close() // nothing was written
		return 0, false, errTaken
	}
	return wanted, false, nil
}
