package cascade

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"windsock/chat/touched"
)

// line is a queue.
type line []touched.Waiting

func (*line) Add(context.Context, string, string) error { return nil }

func (l *line) Remove(context.Context, string, string) error {
	*l = (*l)[1:]
	return nil
}

func (*line) Hold(context.Context, string, string, int) error { return nil }

func (*line) Release(context.Context, string, string) error { return nil }

func (l *line) Waiting(context.Context) ([]touched.Waiting, error) { return slices.Clone(*l), nil }

// Cascades that cannot be archived, or may be about to run, stay in the queue; at the
// deadline, all remaining ones stay. The sessions of agents, and what a process keeps open,
// are no concern of it.
func TestDrainLeaves(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	q := line{{Variant: touched.AgentPrefix + "devin", ID: "session", At: now.Add(-time.Hour)}, {Variant: "windsurf", ID: "open", At: now.Add(-time.Hour), Held: true}, {Variant: "windsurf", ID: "fresh", At: now.Add(-time.Second)}, {Variant: "windsurf", ID: "old", At: now.Add(-time.Hour)}}
	none := errors.New("no editor runs")
	asked := 0
	servers := func(context.Context, string) ([]*Client, func(), error) {
		asked++
		return nil, nil, none
	}
	got, err := Drain(t.Context(), &q, now, servers)
	if got != 2 || !errors.Is(err, none) || !errors.Is(err, errFresh) || asked != 1 || len(q) != 4 {
		t.Errorf("left %d, %v; asked %d times, queue %v", got, err, asked, q)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Drain(ctx, &q, now, servers); got != 2 || !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("left %d, %v; asked %d times", got, err, asked)
	}
}
