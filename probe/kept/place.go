package kept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// Place is where the last answer of one source is kept.
type Place struct {
	// Dir is Windsock's state directory; Name is the source's, for the names of files.
	Dir, Name string
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
	// Of is the host that the source is asked at, where that can change; what is kept of
	// another one counts as missing.
	Of string
	// Meanwhile reports whether what is kept will do while another process asks. Where it
	// is nil, or what is kept will not do, that process is waited for.
	Meanwhile func(Last) bool
}

const (
	// maxFile, in bytes, is more than any answer has left when it is reduced.
	maxFile = 1 << 20
	// lockPoll is how often a process looks whether another has asked.
	lockPoll = 100 * time.Millisecond
)

// Get returns what is kept, after it has asked the source if that is due. due and ask see
// what is kept; ask returns what is to be kept instead, made by Answered or Failing of what
// it is given, and ends when its context does. While another process asks, Get waits for
// its result, until ctx ends; due is then called again and sees it.
//
// The time of the question is noted before ask is called. Where it cannot be noted ask is
// not called, since each run of Windsock would then ask anew.
//
// The error is that of ctx while Get waits, or a say.Teller for a state directory that
// cannot be written. Beside an error there is what was kept before. That a question failed
// is no error of Get; it stands in Last.Failed.
func (p Place) Get(ctx context.Context, due func(Last) bool, ask func(context.Context, Last) Last) (Last, error) {
	l, _ := p.read()
	if !due(l) {
		return l, nil
	}
	unlock, err := p.lock(ctx, p.Meanwhile == nil || !p.Meanwhile(l))
	switch {
	case errors.Is(err, errAsks):
		return l, nil
	case err != nil:
		return l, err
	}
	defer unlock()
	if l = p.Read(); !due(l) { // another process has asked since
		return l, nil
	}
	asked := p.now()
	if err := p.write(kept{Last: l, Asking: asked}); err != nil {
		return l, unnoted(err)
	}
	l.Asked = asked
	l = ask(ctx, l)
	if _, err := os.Lstat(p.file()); err == nil { // it was not forgotten meanwhile
		_ = p.write(kept{Last: l}) // the question is noted already
	}
	return l, nil
}

// Read returns what is kept, without asking. What is unusable counts as missing.
func (p Place) Read() Last {
	l, asking := p.read()
	if !asking.IsZero() {
		l.Asked = asking
	}
	return l
}

// Forget removes what is kept. The result of a question that is under way is not kept.
func (p Place) Forget() error {
	_ = os.Remove(p.lockFile()) // it is empty; Windows keeps it while it is in use
	if err := os.Remove(p.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what is kept: %w", redact.Path(err))
	}
	return nil
}

// kept is the content of the file. Asking is when the question was asked that has no result
// yet, or never will, since its process has died; Asked is that of the one before. So those
// who come while it is asked find what is kept due, and wait for the result.
type kept struct {
	Last

	Asking time.Time `json:"asking,omitzero"`
	// Of is the Place's.
	Of string `json:"of,omitempty"`
}

func (p Place) read() (l Last, asking time.Time) {
	text, err := files.Read(p.file(), maxFile)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil || k.Of != p.Of {
		return Last{}, time.Time{}
	}
	if k.Asking.After(p.now().Add(aheadAtMost)) {
		k.Asking = time.Time{}
	}
	return k.usable(p.now()), k.Asking
}

func (p Place) file() string     { return filepath.Join(p.Dir, p.Name+".json") }
func (p Place) lockFile() string { return filepath.Join(p.Dir, p.Name+".lock") }

func (p Place) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

func (p Place) write(k kept) error {
	k.Of = p.Of
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return files.Overwrite(p.file(), text, 0o600)
}

// errAsks is the error where another process asks.
var errAsks = errors.New("another process asks")

// lock keeps other processes from asking. Where one does it waits, or returns errAsks.
func (p Place) lock(ctx context.Context, wait bool) (unlock func(), err error) {
	if err := files.MakeDir(p.Dir); err != nil {
		return nil, unnoted(err)
	}
	if info, err := os.Stat(p.lockFile()); err == nil && !info.Mode().IsRegular() {
		return nil, unnoted(files.ErrNotRegular) // opening a pipe would block
	}
	lock := flock.New(p.lockFile(), flock.SetPermissions(0o600))
	var held bool
	if wait {
		held, err = lock.TryLockContext(ctx, lockPoll)
	} else {
		held, err = lock.TryLock()
	}
	switch {
	case held:
		return func() { _ = lock.Close() }, nil // it ends with the process
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unnoted(err)
	default:
		return nil, errAsks
	}
}

// unnoted is the error where each run of Windsock would ask anew.
func unnoted(err error) error {
	return &say.Error{
		Code: "bad_response", Exit: 1,
		What:  "Windsock does not ask for new figures, because it cannot note that it asked.",
		Cure:  files.Cure(err, "Check that Windsock's state directory is yours."),
		Cause: fmt.Errorf("note that figures were asked for: %w", redact.Path(err)),
	}
}
