package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
)

// sight is what there was to judge by at a moment.
type sight struct {
	cycle *cycle
	meter usage.Meter
	at    time.Time
	// seen are the samples that the history handed out.
	seen []pace.Sample
}

// watch looks at a cycle at the moments at which a poller would, keeps what it
// sees in the history, and returns the last sight before each of some moments; a
// nil one where there was none. It ends after the last of them.
func watch(ctx context.Context, c *cycle, k kind, r *rand.Rand, record poll.Record, moments []time.Time) ([]*sight, error) {
	sights := make([]*sight, len(moments))
	// The longest interval that there is makes the fewest samples.
	for at := range poll.FetchTimes(c.Start, c.End, poll.MaxInterval, c.naps, r.Float64) {
		if at.After(slices.MaxFunc(moments, time.Time.Compare)) {
			break
		}
		s, err := windsurf.Decode(c.answer(c, min(c.used(at), c.total)), usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at})
		if err != nil {
			return nil, fmt.Errorf("decode answer: %w", err)
		}
		h := record(ctx, s)
		s = pace.Judge(s, h, k.pace).At(at)
		for i, moment := range moments {
			if !at.After(moment) {
				sights[i] = &sight{c, s.Meters[0], at, h[c.meter]}
			}
		}
	}
	return sights, nil
}
