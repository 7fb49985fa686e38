package poll

import (
	"context"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/windsurf"
)

// Reading is one GetUserStatus answer as a server gave it.
type Reading struct {
	// Raw is the body, in JSON.
	Raw []byte
	// Variant and App are the editor's short name and its name for people.
	Variant, App string
	// PID is the language server's process.
	PID int
}

// Fetch asks a running language server for the plan; variant is empty for any.
// Its error tells why through package say. The reading beside an error says what is known of the server.
type Fetch func(ctx context.Context, variant string) (Reading, error)

// Snapshot is the answer of a fetch, decoded. The one beside an error says what
// is known all the same. now is asked when the answer is there.
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

// Look asks once, and returns what a [Poller] made of c would know after its
// first fetch.
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
