package tray

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage/poll"
	"windsock/usage/words"
)

// fakePoller sends the test's states.
type fakePoller struct {
	states chan poll.Plans
	mu     sync.Mutex // guards the rest
	asked  int
	wait   time.Duration
}

func (p *fakePoller) Subscribe() (states <-chan poll.Plans, cancel func()) {
	return p.states, func() {}
}

func (p *fakePoller) Refresh() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return p.wait
}

// stage is an actor with fakes around it.
type stage struct {
	*fakeHost

	poller  *fakePoller
	clicks  chan RowID
	changes chan Options
	log     *strings.Builder
	// end ends the actor, and returns when it has ended, which closes ended.
	end   func()
	ended chan struct{}
}

// play starts an actor inside a synctest bubble.
func play(t *testing.T, change func(*App)) *stage {
	t.Helper()
	s := &stage{
		fakeHost: &fakeHost{}, poller: &fakePoller{states: make(chan poll.Plans)},
		clicks: make(chan RowID), changes: make(chan Options), log: &strings.Builder{},
	}
	app := App{
		Version: "1.0", Poller: s.poller, Changes: s.changes,
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	if change != nil {
		change(&app)
	}
	ctx, cancel := context.WithCancel(t.Context())
	act := app.newActor(s)
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		act.run(ctx, s.clicks)
		cancel()
	}()
	s.end = func() { cancel(); <-s.ended }
	t.Cleanup(s.end)
	return s
}

func (s *stage) send(plans ...poll.State) {
	s.poller.states <- plans
	synctest.Wait()
}

func (s *stage) click(r RowID) {
	s.clicks <- r
	synctest.Wait()
}

func (s *stage) label(r RowID) string { return s.seen().Rows[r].Label }

func TestActorShowsWhatThePollerTells(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		if got := s.label(rowBody(0)); got != "Asking for the figures…" {
			t.Errorf("at first: %q", got)
		}
		time.Sleep(pushAgain)
		synctest.Wait()
		s.taken()
		s.send(polled(t, creditsAnswer, 0))
		first := s.seen()
		if diff := cmp.Diff(render(State{Plans: poll.Plans{polled(t, creditsAnswer, 0)}, Version: "1.0"}), first); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.taken()
		s.send(polled(t, creditsAnswer, 0))
		if calls := s.taken(); calls != nil {
			t.Errorf("the same state again: %q", calls)
		}
		s.send(polled(t, creditsAnswer, time.Minute))
		want := []string{"label 1 Windsurf · Teams · updated 1m ago"}
		if diff := cmp.Diff(want, s.taken()); diff != "" {
			t.Errorf("a minute later (-want +got):\n%s", diff)
		}
		close(s.poller.states)
		synctest.Wait()
	})
}

// TestActorRepeatsWhatTheConnectionLost is about systray's #122.
func TestActorRepeatsWhatTheConnectionLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.send(polled(t, creditsAnswer, 0))
		s.taken()
		time.Sleep(pushAgain)
		synctest.Wait()
		want := []string{"icon ok 9/10", "title ", "tooltip Prompt credits: 453 of 500 left (91 %) · On course · 34–85 % left at the reset · resets in 14d 22h (18 Feb)"}
		if diff := cmp.Diff(want, s.taken()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if calls := s.taken(); calls != nil {
			t.Errorf("later: %q", calls)
		}
	})
}

func TestActorTakesSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.send(polled(t, quotaAnswer, 0))
		s.changes <- Options{Config: Config{Title: true}, Words: words.Words{TwelveHour: true}, Problem: "Line 3 is odd."}
		synctest.Wait()
		v := s.seen()
		if v.Title != "42%" || !strings.Contains(v.Tooltip, "8:00 AM") || v.Rows[rowNote].Label != "Line 3 is odd." {
			t.Errorf("%s", v)
		}
		close(s.changes)
		synctest.Wait()
		s.send(polled(t, creditsAnswer, 0))
		if got := s.seen().Title; got != "91%" {
			t.Errorf("after the last change: %q", got)
		}
	})
}

func TestActorQuits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.click(RowQuit)
		select {
		case <-s.ended:
		default:
			t.Error("goes on")
		}
	})
}

func TestActorLogsChangesOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		for range 3 {
			s.send(polled(t, creditsAnswer, 0))
		}
		for range 3 {
			s.send(failed(errNotRunning))
		}
		s.send(failed(errors.New("odd")))
		s.send(polled(t, creditsAnswer, 0))
		s.end()
		var got []string
		for line := range strings.Lines(s.log.String()) {
			_, message, _ := strings.Cut(strings.TrimSpace(line), "level=")
			got = append(got, message)
		}
		want := []string{
			`INFO msg="figures had" variant=windsurf pid=4242 billing=credits`,
			`INFO msg="no figures" code=not_running err="find server: not_running"`,
			`INFO msg="no figures" code=other err=odd`,
			`INFO msg="figures had" variant=windsurf pid=4242 billing=credits`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
