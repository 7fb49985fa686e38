package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/probe/secret"
)

const (
	keyName  = "api-key"
	portName = "api-port"
	lockName = "api.lock"

	// keyPrefix lets scanners for secrets, and people, see what it is.
	keyPrefix = "windsock-"
	minKey    = 20
	maxKey    = 200
	maxFile   = 4 << 10

	// lockTime is how long another process may have the lock that does not serve.
	lockTime = time.Second
	lockPoll = 10 * time.Millisecond
)

// place is the directory where the key and the port lie. The one process that
// serves has its lock.
type place struct {
	dir  string
	lock *flock.Flock
}

// Why nothing is served.
var (
	errServes  = &say.Error{What: "The local API is served already.", Cure: "`windsock serve --print-env` prints how to reach it."}
	errTaken   = &say.Error{What: "Nothing is served now, and another program has the port.", Cure: "Start `windsock serve` first: it takes another port, which this prints then."}
	errOpenKey = &say.Error{What: "The file with the local API's key, api-key in the state directory, can be read by others.", Cure: "Delete it, so that a new key is made, and give that one to your tools."}
	errBadKey  = &say.Error{What: "The file with the local API's key, api-key in the state directory, holds none.", Cure: "Delete it, so that a new key is made."}
)

// take makes the directory and locks it. The error is errServes where another
// process serves.
func take(ctx context.Context, dir string) (*place, error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, err
	}
	p := &place{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))}
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	switch held, err := p.lock.TryLockContext(waiting, lockPoll); {
	case held:
		_ = os.Remove(filepath.Join(dir, portName)) // a killed process's, which would be told until there is a new one
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errServes
	default:
		return nil, fmt.Errorf("lock local API: %w", redact.Path(err))
	}
}

// leave removes the port, and lets go of the lock.
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

// key reads the key, and makes one where there is none. The caller has the lock.
func (p *place) key() (secret.Secret, error) {
	key, err := readKey(p.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	fresh := keyPrefix + rand.Text()
	if err := p.write(keyName, fresh); err != nil {
		return secret.Secret{}, fmt.Errorf("write key: %w", err)
	}
	return secret.New(fresh), nil
}

// tellPort writes where it is served.
func (p *place) tellPort(port int) error {
	if err := p.write(portName, strconv.Itoa(port)); err != nil {
		return fmt.Errorf("write port: %w", err)
	}
	return nil
}

// write writes a file that only this user may read.
func (p *place) write(name, text string) error {
	return files.Replace(filepath.Join(p.dir, name), []byte(text+"\n"), 0o600)
}

// readKey reads the key; the error has fs.ErrNotExist in its chain where there is
// none.
func readKey(dir string) (secret.Secret, error) {
	path := filepath.Join(dir, keyName)
	info, err := os.Stat(path)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("read key: %w", redact.Path(err))
	}
	text, err := files.Read(path, maxFile)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("read key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // where others are kept out by the directory
		return secret.Secret{}, errOpenKey
	}
	key := strings.TrimSpace(string(text))
	if len(key) < minKey || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("'\"`$\\", r) }) {
		return secret.Secret{}, errBadKey
	}
	return secret.New(key), nil
}

// readPort reads where it is served; ok is false where it is not said.
func readPort(dir string) (port int, ok bool) {
	text, err := files.Read(filepath.Join(dir, portName), maxFile)
	if err != nil {
		return 0, false
	}
	port, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return port, err == nil && port > 0 && port < 1<<16
}

// serves tells whether a process has the lock.
func serves(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, lockName)); err != nil {
		return false
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	held, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !held
}
