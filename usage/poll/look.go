package poll

import (
	"context"
	"time"

	"windsock/usage/pace"
)

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
