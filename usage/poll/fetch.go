package poll

import (
	"context"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/windsurf"
)

// Reading is one GetUserStatus answer, as the server sent it.
type Reading struct {
	// Raw is the body, in JSON.
	Raw []byte
	// Variant and App are the editor's short name and its name for people.
	Variant, App string
	// PID is the language server's process.
	PID int
}

// Fetch asks a running language server for the plan; variant is empty for any. Its
// error gives the reason through package say. A reading beside an error holds what is
// known of the server.
type Fetch func(ctx context.Context, variant string) (Reading, error)

// Snapshot fetches and decodes an answer. A snapshot beside an error holds what is
// known nevertheless. now is called when the answer has arrived.
func (f Fetch) Snapshot(ctx context.Context, variant string, now func() time.Time) (usage.Snapshot, error) {
	reading, err := f(ctx, variant)
	src := usage.Source{
		Kind:    usage.KindLanguageServer,
		Variant: reading.Variant,
		App:     reading.App,
		PID:     reading.PID,
	}
	if err != nil {
		return usage.Snapshot{Source: src}, err
	}
	src.FetchedAt = now()
	return windsurf.Decode(reading.Raw, src)
}

// Look fetches once. It returns the state of a [Poller] with c after its first fetch.
func Look(ctx context.Context, c Config) State {
	if c.Now == nil {
		c.Now = time.Now
	}
	snapshot, err := c.Fetch.Snapshot(ctx, c.Variant, c.Now)
	if err != nil {
		snapshot = c.Recall.Instead(ctx, c.Variant, snapshot, err)
	} else {
		snapshot = pace.Judge(snapshot, c.Record.History(ctx, snapshot), c.Pace)
	}
	now := c.Now()
	return State{At: now, Snapshot: snapshot.At(now), Err: err}
}
