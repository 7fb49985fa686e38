package poll

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

func TestPollerStates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			time.Sleep(time.Second)
			switch n {
			case 0:
				return Reading{Variant: "windsurf", PID: 7}, usagetest.ErrNotRunning
			case 1:
				return good(ctx, n)
			default:
				return Reading{Variant: "windsurf-next"}, usagetest.ErrNotRunning
			}
		})
		states, cancel := b.Subscribe()
		defer cancel()
		unknown := nothing(usage.Windsurf)
		compareStates(t, State{At: usagetest.Noon, Snapshot: unknown.At(usagetest.Noon), Next: usagetest.Noon}, (<-states).Lead())

		defer b.run(t)()
		compareStates(t, State{At: usagetest.Noon, Snapshot: unknown.At(usagetest.Noon), Fetching: true}, (<-states).Lead())

		at := func(seconds int) time.Time { return usagetest.Noon.Add(time.Duration(seconds) * time.Second) }
		b.until(time.Second)
		found := unknown
		found.Source.Variant, found.Source.PID = "windsurf", 7
		compareStates(t, State{
			At: at(1), Snapshot: found.At(at(1)), Err: usagetest.ErrNotRunning, Next: at(11),
		}, (<-states).Lead())

		b.until(11 * time.Second)
		compareStates(t, State{
			At: at(11), Snapshot: found.At(at(11)), Err: usagetest.ErrNotRunning, Fetching: true,
		}, (<-states).Lead())

		b.until(12 * time.Second)
		compareStates(t, State{
			At: at(12), Snapshot: creditsAt(t, 12*time.Second, 12*time.Second), Next: at(312),
		}, (<-states).Lead())

		b.until(72 * time.Second)
		compareStates(t, State{
			At: at(72), Snapshot: creditsAt(t, 12*time.Second, 72*time.Second), Next: at(312),
		}, (<-states).Lead())

		b.until(313 * time.Second)
		old := creditsAt(t, 12*time.Second, 313*time.Second)
		old.Source.Stale = true // nothing runs that could have newer ones
		compareStates(t, State{At: at(313), Snapshot: old, Err: usagetest.ErrNotRunning, Next: at(323)}, (<-states).Lead())
	})
}

func TestPollerStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(ctx context.Context, n int) (Reading, error) {
			if n > 0 {
				return slow(ctx, n)
			}
			return good(ctx, n)
		})
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		<-states
		// Eight hours asleep do not count, the ten minutes awake do.
		b.until(2 * time.Minute)
		b.set(8 * time.Hour)
		var got State
		for all := range states {
			got = all.Lead()
			if got.Snapshot.Source.Stale {
				break
			}
		}
		if awake := time.Since(b.start); awake != 10*time.Minute {
			t.Errorf("stale after %v awake", awake)
		}
		if want := 8*time.Hour + 10*time.Minute; got.Age() != want {
			t.Errorf("age %v, want %v", got.Age(), want)
		}
		if !errors.Is(got.Err, codedError("timeout")) || !got.HasFigures() {
			t.Errorf("error %v, figures %v", got.Err, got.HasFigures())
		}
	})
}

// With the shortest interval that a person can choose and the slowest server, the next
// figures come when the last ones are 23 s old. They do not flicker.
func TestPollerShortIntervalIsNotStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFastBench(0, MinWatchInterval, func(ctx context.Context, n int) (Reading, error) {
			time.Sleep(12 * time.Second)
			if n > 9 {
				return slow(ctx, n)
			}
			return good(ctx, n)
		})
		b.products[0].schedule.random = func() float64 { return 1 }
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		var last State
		for all := range states {
			last = all.Lead()
			if last.Snapshot.Source.Stale {
				break
			}
		}
		// The last figures are the tenth, of 9·23 s + 12 s.
		if got := last.At.Sub(usagetest.Noon); got != 219*time.Second+26*time.Second {
			t.Errorf("stale after %v", got)
		}
	})
}

func TestPollerTellsOfResetAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(context.Context, int) (Reading, error) { return daily(90 * time.Second) })
		states, cancel := b.Subscribe()
		defer cancel()
		defer b.run(t)()
		for all := range states {
			s := all.Lead()
			if m, ok := s.Snapshot.Meter(usage.DailyQuota); ok && m.State == usage.StateRolledOver {
				break
			}
		}
		if got := time.Since(b.start); got != 90*time.Second {
			t.Errorf("told after %v", got)
		}
	})
}

func TestPollerSlowSubscriber(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(good)
		slow, cancelSlow := b.Subscribe()
		gone, cancelGone := b.Subscribe()
		stop := b.run(t)
		cancelGone()
		cancelGone()
		b.until(time.Hour)
		b.fetches(t, 0, 5*time.Minute, 10*time.Minute, 15*time.Minute, 20*time.Minute, 25*time.Minute,
			30*time.Minute, 35*time.Minute, 40*time.Minute, 45*time.Minute, 50*time.Minute, 55*time.Minute, time.Hour)
		latest := b.now()
		compareStates(t, latest, (<-slow).Lead())
		select {
		case s := <-slow:
			t.Errorf("a second state waits: %+v", s)
		default:
		}
		stop()
		ended := State{At: latest.At, Snapshot: latest.Snapshot}
		compareStates(t, ended, (<-slow).Lead())
		if _, open := <-slow; open {
			t.Error("the channel is open after the end")
		}
		cancelSlow()
		<-gone // what was in it
		if _, open := <-gone; open {
			t.Error("the channel is open after its cancel")
		}
		late, cancelLate := b.Subscribe()
		defer cancelLate()
		compareStates(t, ended, (<-late).Lead())
		if _, open := <-late; open {
			t.Error("a channel that was made after the end is open")
		}
	})
}

func TestStateAge(t *testing.T) {
	t.Parallel()
	figures := State{At: usagetest.Noon, Snapshot: creditsAt(t, 0, 0)}
	figures.At = usagetest.Noon.Add(time.Minute)
	if got := figures.Age(); got != time.Minute {
		t.Errorf("age %v", got)
	}
	figures.At = usagetest.Noon.Add(-time.Minute)
	if got := figures.Age(); got != 0 {
		t.Errorf("age %v before its time", got)
	}
	if got := (State{At: usagetest.Noon}).Age(); got != 0 {
		t.Errorf("age %v of nothing", got)
	}
}

func TestStateSentence(t *testing.T) {
	t.Parallel()
	with := func(err error, stale bool, after time.Duration) State {
		s := State{At: usagetest.Noon.Add(after), Snapshot: creditsAt(t, 0, after), Err: err}
		s.Snapshot.Source.Stale = stale
		return s
	}
	of := func(s State, app string) State {
		s.Snapshot.Source.App = app
		return s
	}
	from := func(s State, kind usage.SourceKind) State {
		s.Snapshot.Source.Kind = kind
		return s
	}
	tests := []struct {
		name  string
		state State
		words words.Words
		want  string
	}{
		{"fresh", with(nil, false, 0), words.Words{}, ""},
		{"none_yet", State{}, words.Words{}, "Asking for the figures…"},
		{"none_and_why", State{Err: usagetest.ErrNotRunning}, words.Words{}, "Start Windsurf and try again."},
		{"none_and_no_words", State{Err: io.EOF}, words.Words{}, "EOF"},
		{"today", with(usagetest.ErrNotRunning, false, time.Hour), words.Words{}, "Showing figures of 10:00 (Start Windsurf and try again)"},
		{
			"twelve_hours", with(usagetest.ErrNotRunning, true, time.Hour),
			words.Words{TwelveHour: true},
			"Showing figures of 10:00 AM (Start Windsurf and try again)",
		},
		{"yesterday", with(usagetest.ErrNotRunning, true, 20*time.Hour), words.Words{}, "Showing figures of Tue 10:00 (Start Windsurf and try again)"},
		{"long_ago", with(usagetest.ErrNotRunning, true, 240*time.Hour), words.Words{}, "Showing figures of 3 Feb (Start Windsurf and try again)"},
		{"of_an_app", of(with(usagetest.ErrNotRunning, true, time.Hour), "Windsurf Next"), words.Words{}, "Showing figures of 10:00 (Windsurf Next is not running)"},
		{
			"of_a_status_line",
			from(of(with(usagetest.ErrNotRunning, true, time.Hour), "Antigravity CLI"), usage.KindStatusLine),
			words.Words{},
			"Showing figures of 10:00 (Start Windsurf and try again)",
		},
		{
			"of_the_cloud",
			from(of(with(usagetest.ErrNotRunning, true, time.Hour), "Devin CLI"), usage.KindCloud),
			words.Words{},
			"Showing figures of 10:00 (Start Windsurf and try again)",
		},
		{"stale", with(nil, true, time.Hour), words.Words{}, "Showing figures of 10:00 (newer ones have not come yet)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.state.Sentence(tt.words); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
