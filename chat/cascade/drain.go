package cascade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

	"windsock/chat/touched"
	"windsock/probe"
	pb "windsock/probe/languageserver"
)

const (
	// fresh is how long a queued cascade is left alone. A live process may just have
	// sent its prompt, and the turn may not have begun yet (coldStart).
	fresh = 20 * time.Second
	// forgotten is how long a cascade that no server knows stays in the queue: another
	// server, or the same one after a restart, may know it.
	forgotten = 7 * 24 * time.Hour
	// intent is the prefix of a stand-in: the entry of a cascade that is about to be
	// started and has no id yet.
	intent = "starting-"
)

var (
	errRuns  = errors.New("the cascade runs")
	errFresh = errors.New("the cascade may be about to run")
)

// Queue holds the cascades that are still to be archived; a touched.Table is one. Its
// entries outlive the process.
type Queue interface {
	// Add notes a cascade by its editor's short name and its id.
	Add(ctx context.Context, variant, id string) error
	Remove(ctx context.Context, variant, id string) error
	// Hold notes that this process keeps a cascade open, and how many prompts that has
	// had; Release takes that back.
	Hold(ctx context.Context, variant, id string, prompts int) error
	Release(ctx context.Context, variant, id string) error
	// Waiting returns all of them, in the order of their arrival.
	Waiting(ctx context.Context) ([]touched.Waiting, error)
}

// ErrGone says that the server no longer knows a cascade.
var ErrGone = errors.New("the server does not know the cascade")

// Drain archives the queued cascades of the variants whose servers run, but none that a
// process keeps open. servers returns all servers of a variant, since only the server that
// runs a cascade knows that it runs; the returned function releases them. Whatever cannot
// be archived stays queued, and the error names it for a log. The end of ctx stops Drain
// between two cascades.
func Drain(ctx context.Context, q Queue, now time.Time, servers func(ctx context.Context, variant string) ([]*Client, func(), error)) (left int, _ error) {
	list, err := q.Waiting(ctx)
	if err != nil {
		return 0, err
	}
	list = slices.DeleteFunc(list, func(w touched.Waiting) bool {
		// No server knows the session of an agent.
		return w.Held || strings.HasPrefix(w.Variant, touched.AgentPrefix)
	})
	d := drain{servers: servers, now: now, clients: map[string][]*Client{}}
	defer d.close()
	left = len(list)
	var errs []error
	for _, c := range list {
		if ctx.Err() != nil {
			errs = append(errs, ctx.Err())
			break
		}
		err := d.archive(ctx, c)
		if err == nil || errors.Is(err, ErrGone) {
			err = q.Remove(context.WithoutCancel(ctx), c.Variant, c.ID)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("archive queued cascade: %w", err))
			continue
		}
		left--
	}
	return left, errors.Join(errs...)
}

// drain is one pass through the queue.
type drain struct {
	servers func(ctx context.Context, variant string) ([]*Client, func(), error)
	now     time.Time
	clients map[string][]*Client // by variant; empty if its servers cannot be asked
	release []func()
}

func (d *drain) close() {
	for _, release := range d.release {
		release()
	}
}

func (d *drain) archive(ctx context.Context, queued touched.Waiting) error {
	variant, cascadeID, at := queued.Variant, queued.ID, queued.At
	if d.now.Sub(at) < fresh {
		return errFresh
	}
	clients, ok := d.clients[variant]
	if !ok {
		found, release, err := d.servers(ctx, variant)
		if err != nil {
			d.clients[variant] = nil
			return err
		}
		clients, d.clients[variant], d.release = found, found, append(d.release, release)
	}
	if len(clients) == 0 {
		return errors.New("no server of the variant can be asked")
	}
	if strings.HasPrefix(cascadeID, intent) {
		err := d.archiveUnnamed(ctx, clients, at)
		if err != nil && d.now.Sub(at) > forgotten {
			return ErrGone
		}
		return err
	}
	knows, err := whoKnows(ctx, clients, cascadeID, max(queued.Prompts, 1))
	switch {
	case err != nil:
		return err
	case knows != nil:
		err := knows.Archive(ctx, cascadeID, true)
		if errors.Is(err, ErrUnsupported) && d.now.Sub(at) > forgotten {
			return ErrGone
		}
		return err
	case d.now.Sub(at) > forgotten:
		return ErrGone
	default:
		return errors.New("no server knows the cascade at the moment")
	}
}

// whoKnows returns a server that knows the cascade, or nil. It fails if a server runs
// the cascade, or does not tell. prompts is how many Windsock has sent.
func whoKnows(ctx context.Context, clients []*Client, cascadeID string, prompts int) (*Client, error) {
	var knows *Client
	for _, c := range clients {
		t, err := c.trajectory(ctx, cascadeID)
		switch {
		case isUnknown(err):
		case errors.Is(err, ErrUnsupported):
			knows = c // an attempt will show
		case err != nil:
			return nil, err
		case t.prompts() > prompts:
			return nil, ErrGone // a person has continued it: it is theirs now
		case t.status != pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED && !t.idle():
			return nil, errRuns
		default:
			knows = c
		}
	}
	return knows, nil
}

func isUnknown(err error) bool {
	call, ok := errors.AsType[*probe.Failure](err)
	if !ok {
		return false
	}
	code, told := call.Refusal()
	return told && (code == connect.CodeNotFound || strings.Contains(strings.ToLower(call.Words()), "not found"))
}

// archiveUnnamed archives the cascade of a StartCascade whose response was never read.
// It is a cascade of our kind, without a step, created during the time that the call
// may take. A person's own cascade has steps or another kind; that of a live process
// gets its first step within moments.
func (d *drain) archiveUnnamed(ctx context.Context, clients []*Client, at time.Time) error {
	for _, c := range clients {
		all, err := c.List(ctx)
		if err != nil {
			return fmt.Errorf("list cascades: %w", err)
		}
		for id, s := range all {
			created := s.GetCreatedTime().AsTime()
			ours := s.GetStepCount() == 0 && s.GetLastUserInputTime() == nil && !s.GetIsArchived() &&
				s.GetStatus() == pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE &&
				s.GetTrajectorySource() == startSource && s.GetTrajectoryType() == startType
			if !ours || created.Before(at.Add(-time.Second)) || created.After(at.Add(sendTimeout)) {
				continue
			}
			if d.now.Sub(created) < fresh {
				return errFresh
			}
			if err := c.Archive(ctx, id, true); err != nil {
				return err
			}
		}
	}
	return nil
}
