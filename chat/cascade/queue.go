package cascade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"windsock/probe/files"
	"windsock/probe/redact"
)

// ErrGone is what the archive function of [Queue.Drain] returns for a cascade that
// the server does not know any more.
var ErrGone = errors.New("the server does not know the cascade")

// Queue holds the cascades that are still to be archived, in a file that only
// this user may read. Several processes may use it at once. A change that has
// returned outlives the process and the machine; one that is cut off has not
// happened. A file that cannot be read is moved aside, and a new one begun.
type Queue struct {
	dir string
	now func() time.Time
}

// Queued is one that is still to be archived.
type Queued struct {
	// Variant is the short name of the editor that it belongs to.
	Variant   string `json:"variant"`
	CascadeID string `json:"cascade_id"`
	// At is when it was put into the queue.
	At time.Time `json:"at"`
}

const (
	queueName     = "archive-queue.json"
	queueLockName = "archive-queue.lock"
	// maxQueue is how many it holds. More than that are not left behind by prompts:
	// the oldest, which have been tried at many a start, go.
	maxQueue     = 1000
	maxQueueFile = 1 << 20
	// queuePoll is how often a lock is asked for that another process has, for as
	// long as it takes to write the file.
	queuePoll = 2 * time.Millisecond
)

// NewQueue is the queue of a state directory, which is made when it is needed.
func NewQueue(stateDir string, now func() time.Time) *Queue {
	return &Queue{dir: stateDir, now: now}
}

// Add puts a cascade into the queue; one that is in it stays where it is.
func (q *Queue) Add(ctx context.Context, variant, cascadeID string) error {
	if variant == "" || len(variant) > 64 || !ValidID(cascadeID) {
		return errors.New("queue cascade: not an id")
	}
	return q.change(ctx, func(list []Queued) []Queued {
		if slices.ContainsFunc(list, isQueued(variant, cascadeID)) {
			return list
		}
		list = append(list, Queued{variant, cascadeID, q.now().UTC().Truncate(time.Second)})
		return list[max(0, len(list)-maxQueue):]
	})
}

// Remove takes a cascade out, if it is in.
func (q *Queue) Remove(ctx context.Context, variant, cascadeID string) error {
	return q.change(ctx, func(list []Queued) []Queued {
		return slices.DeleteFunc(slices.Clone(list), isQueued(variant, cascadeID))
	})
}

// List returns what is in the queue, in the order in which it came.
func (q *Queue) List(ctx context.Context) (list []Queued, err error) {
	if _, err := os.Lstat(q.path()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // as it is at nearly every start
	}
	err = q.change(ctx, func(found []Queued) []Queued {
		list = found
		return found
	})
	return list, err
}

// Drained is what became of the queue.
type Drained struct {
	// Archived and Gone have left the queue, Left are still in it.
	Archived, Gone, Left int
}

// Drain archives what is in the queue. A cascade for which archive returns an
// error stays, unless that is [ErrGone]. The error tells of all that stay, for
// a log; the end of ctx ends it between two cascades. The queue is not locked
// while archive is called.
func (q *Queue) Drain(ctx context.Context, archive func(ctx context.Context, variant, cascadeID string) error) (Drained, error) {
	list, err := q.List(ctx)
	if err != nil {
		return Drained{}, err
	}
	drained := Drained{Left: len(list)}
	var errs []error
	for _, c := range list {
		if ctx.Err() != nil {
			return drained, errors.Join(append(errs, ctx.Err())...)
		}
		err := archive(ctx, c.Variant, c.CascadeID)
		if err != nil && !errors.Is(err, ErrGone) {
			errs = append(errs, fmt.Errorf("archive queued cascade: %w", err))
			continue
		}
		if removed := q.Remove(context.WithoutCancel(ctx), c.Variant, c.CascadeID); removed != nil {
			return drained, errors.Join(append(errs, removed)...)
		}
		drained.Left--
		if err == nil {
			drained.Archived++
		} else {
			drained.Gone++
		}
	}
	return drained, errors.Join(errs...)
}

func isQueued(variant, cascadeID string) func(Queued) bool {
	return func(c Queued) bool { return c.Variant == variant && c.CascadeID == cascadeID }
}

func (q *Queue) path() string { return filepath.Join(q.dir, queueName) }

// change does something to the queue while no other process does.
func (q *Queue) change(ctx context.Context, do func([]Queued) []Queued) error {
	if err := files.MakeDir(q.dir); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(q.dir, queueLockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, queuePoll); err != nil {
		return fmt.Errorf("lock queue: %w", redact.Path(err))
	}
	defer func() { _ = lock.Close() }() // the system does so otherwise
	found, err := q.read()
	if err != nil {
		return fmt.Errorf("read queue: %w", redact.Path(err))
	}
	list := do(found)
	if slices.Equal(list, found) {
		return nil
	}
	if err := files.Replace(q.path(), queueText(list), 0o600); err != nil {
		return fmt.Errorf("write queue: %w", redact.Path(err))
	}
	return nil
}

func (q *Queue) read() ([]Queued, error) {
	text, err := files.Read(q.path(), maxQueueFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		list, ok := parseQueue(text)
		if ok {
			return list, nil
		}
	} else if !errors.Is(err, files.ErrTooLarge) {
		return nil, err
	}
	_, err = files.MoveAside(q.path(), q.now())
	return nil, err
}

// queueDocument is the queue's file.
type queueDocument struct {
	Schema   int      `json:"schema"`
	Cascades []Queued `json:"cascades"`
}

func queueText(list []Queued) []byte {
	text, _ := json.Marshal(queueDocument{1, list}) //nolint:errchkjson // names and times
	return append(text, '\n')
}

func parseQueue(text []byte) ([]Queued, bool) {
	var document queueDocument
	decoder := json.NewDecoder(bytes.NewReader(text))
	if decoder.Decode(&document) != nil || document.Schema != 1 || decoder.More() {
		return nil, false
	}
	for _, c := range document.Cascades {
		if c.Variant == "" || !ValidID(c.CascadeID) {
			return nil, false
		}
	}
	return document.Cascades, true
}

// ValidID reports whether an id can be part of a file's name. Those of the servers
// are UUIDs.
func ValidID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}
