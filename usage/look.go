package usage

import (
	"context"
	"time"
)

// Look asks once, and returns what a [Poller] made of c would know after its
// first fetch.
func Look(ctx context.Context, c PollerConfig) PollState {
	if c.Now == nil {
		c.Now = time.Now
	}
	snapshot, err := c.Fetch.snapshot(ctx, c.Variant, c.Now)
	if err != nil {
		snapshot = c.Recall.Instead(ctx, c.Variant, snapshot, err)
	} else {
		snapshot = snapshot.WithPace(c.Record.history(ctx, snapshot), c.Pace)
	}
	now := c.Now()
	return PollState{At: now, Snapshot: snapshot.At(now), Err: err}
}
