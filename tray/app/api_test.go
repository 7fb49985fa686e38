package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage/poll"
)

// The local API of the app tells what the poller knows: it waits for the first
// figures, asks for no others, but where newer ones are wanted, and never for longer
// than it may.
func TestKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fetched int
		var broken error
		poller := poll.New(poll.Config{Fetch: func(context.Context, string) (poll.Reading, error) {
			fetched++
			time.Sleep(time.Second)
			return poll.Reading{Raw: []byte(`{"planStatus":{"dailyQuotaRemainingPercent":40}}`)}, broken
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- poller.Run(ctx) }()

		first := known(t.Context(), poller, false)
		if !first.HasFigures() || fetched != 1 {
			t.Fatalf("%d fetches, %+v", fetched, first)
		}
		time.Sleep(time.Minute)
		if again := known(t.Context(), poller, false); again.Snapshot.Source.FetchedAt != first.Snapshot.Source.FetchedAt || fetched != 1 {
			t.Errorf("%d fetches, figures of %v", fetched, again.Snapshot.Source.FetchedAt)
		}
		fresh := known(t.Context(), poller, true)
		if age := time.Since(fresh.Snapshot.Source.FetchedAt); age != 0 || fetched != 2 {
			t.Errorf("%d fetches, figures %v old", fetched, age)
		}
		if again := known(t.Context(), poller, true); again.Snapshot.Source.FetchedAt != fresh.Snapshot.Source.FetchedAt || fetched != 2 {
			t.Errorf("at once again: %d fetches", fetched)
		}
		time.Sleep(time.Minute)
		broken = errors.New("gone")
		limited, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		began := time.Now()
		if old := known(limited, poller, true); !old.HasFigures() || old.Err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), old)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if last := known(t.Context(), poller, false); !last.HasFigures() {
			t.Errorf("at the end: %+v", last)
		}
	})
}
