package tray

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/desktop"
	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/poll"
)

// fakeNotifier is a desktop that takes its time.
type fakeNotifier struct {
	mu    sync.Mutex // guards the rest
	takes time.Duration
	err   error
	shown []string
	full  []desktop.Notification // of shown
	tries []time.Time
}

func (n *fakeNotifier) Notify(asked desktop.Notification) error {
	n.mu.Lock()
	takes, err := n.takes, n.err
	n.tries = append(n.tries, time.Now())
	n.mu.Unlock()
	time.Sleep(takes)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		n.shown, n.full = append(n.shown, asked.Title), append(n.full, asked)
	}
	return err
}

// Withdraw is among what is shown, with the meter.
func (n *fakeNotifier) Withdraw(subject any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shown = append(n.shown, fmt.Sprintf("withdrawn: %s", subject.(matter).meter))
}

func (n *fakeNotifier) titles() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	shown := n.shown
	n.shown = nil
	return shown
}

// memory is a store.
type memory struct {
	mu        sync.Mutex // guards documents
	documents map[string][]byte
}

func (m *memory) Load(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.documents[name], nil
}

func (m *memory) Save(_ context.Context, name string, document []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.documents[name] = document
	return nil
}

// lookout is a Warner at work inside a synctest bubble.
type lookout struct {
	*fakeNotifier

	warner *Warner
	poller *fakePoller
	log    *strings.Builder
	end    func()
	at     time.Time
	plan   usage.Plan // the first one of the last figures
}

func watchOut(t *testing.T, store alert.Store) *lookout {
	t.Helper()
	l := &lookout{
		fakeNotifier: &fakeNotifier{}, poller: &fakePoller{states: make(chan poll.Plans)}, log: &strings.Builder{},
		warner: NewWarner(WarnerSettings{Alerts: alert.DefaultConfig()}), at: noon,
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := l.warner.Run(ctx, l.poller, &alert.Watch{Store: store}, l, slog.New(slog.NewTextHandler(l.log, nil)))
		if err != nil {
			t.Error(err)
		}
	}()
	l.end = func() { cancel(); <-ended }
	t.Cleanup(l.end)
	return l
}

// left sends figures of ten minutes later of which so many hundredths of 500 credits are
// used. Each further figure is another account's.
func (l *lookout) left(t *testing.T, credits ...string) {
	t.Helper()
	l.at = l.at.Add(10 * time.Minute)
	var plans poll.Plans
	for i, used := range credits {
		account := strconv.Itoa(i + 1)
		state := polled(t, `{"userStatus":{"userId":"`+account+`"},"planStatus":{"planStart":"2026-01-18T09:00:00Z","planEnd":"2026-02-18T09:00:00Z",
			"availablePromptCredits":50000,"usedPromptCredits":`+used+`}}`, 0)
		state.At, state.Snapshot.Source.FetchedAt = l.at, l.at
		state.Name, state.Lead = "windsurf:"+account, i == 0
		plans = append(plans, state)
	}
	l.plan = plans[0].Snapshot.Plan
	l.poller.states <- plans
	synctest.Wait()
}

func (l *lookout) tells(t *testing.T, what string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, l.titles()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestWarnerTellsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{documents: map[string][]byte{}}
		l := watchOut(t, store)
		l.left(t, "1000")
		l.tells(t, "much is left")
		l.left(t, "40500")
		l.tells(t, "little is left", "Prompt credits: 19 % left")
		l.left(t, "40600")
		l.tells(t, "a little less")
		l.end()

		again := watchOut(t, store)
		again.at = l.at
		again.left(t, "40700")
		again.tells(t, "after a restart")
		again.left(t, "48000")
		again.tells(t, "next to nothing is left", "Prompt credits: 4 % left")
	})
}

func TestWarnerTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("no daemon")
		l.left(t, "40500")
		l.left(t, "40500")
		l.tells(t, "nobody shows it")
		if n := strings.Count(l.log.String(), "notification not shown"); n != 1 {
			t.Errorf("logged %d times", n)
		}
		l.mu.Lock()
		l.err = nil
		l.mu.Unlock()
		time.Sleep(firstPause)
		synctest.Wait()
		l.tells(t, "somebody does again", "Prompt credits: 19 % left")
		l.left(t, "40500")
		l.tells(t, "and then no more")
	})
}

// TestWarnerRestsAfterAFailure: new figures do not shorten the pauses, since the bus starts
// a daemon that crashes at its start anew at each try. A daemon that works is not waited
// for.
func TestWarnerRestsAfterAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("it has crashed")
		for range 3600 / 5 {
			l.left(t, "40500")
			time.Sleep(5 * time.Second)
		}
		l.mu.Lock()
		if len(l.tries) > 12 {
			t.Errorf("%d tries in an hour", len(l.tries))
		}
		l.err = nil
		l.mu.Unlock()
		time.Sleep(lastPause)
		synctest.Wait()
		l.tells(t, "it works again", "Prompt credits: 19 % left")
		l.left(t, "48000")
		l.tells(t, "at once", "Prompt credits: 4 % left")
	})
}

// TestWarnerRestsForOneWarning: the pauses end with the warning that the desktop refused.
func TestWarnerRestsForOneWarning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("no daemon")
		l.left(t, "40500")
		time.Sleep(time.Hour)
		l.mu.Lock()
		l.err = nil
		l.mu.Unlock()
		l.left(t, "1000") // bought
		l.tells(t, "much is left again")
		l.left(t, "48000")
		l.tells(t, "at once", "Prompt credits: 4 % left")
	})
}

// TestWarnerDoesNotWait: a desktop that takes half a minute holds up neither the
// figures nor the end, and gets one notification at a time.
func TestWarnerDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.takes = 30 * time.Second
		l.left(t, "40500")
		l.left(t, "48000")
		time.Sleep(time.Minute - time.Second)
		l.tells(t, "a slow desktop", "Prompt credits: 19 % left")
		time.Sleep(time.Second)
		synctest.Wait()
		l.tells(t, "what became due meanwhile", "Prompt credits: 4 % left")
		l.left(t, "50000")
		l.end()
		time.Sleep(time.Minute)
	})
}

// TestWarnerRemembersTheLast: a warning that is shown just as Windsock ends is not
// repeated.
func TestWarnerRemembersTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{documents: map[string][]byte{}}
		l := watchOut(t, store)
		l.takes = lastShown / 2
		l.left(t, "40500")
		l.end()
		l.tells(t, "at the end", "Prompt credits: 19 % left")
		again := watchOut(t, store)
		again.at = l.at
		again.left(t, "40500")
		again.tells(t, "after the restart")
	})
}

// TestWarnerEndsAfterTheLast: nothing else is shown at the end, when nobody would record it.
func TestWarnerEndsAfterTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{documents: map[string][]byte{}}
		l := watchOut(t, store)
		l.takes = lastShown / 2
		l.left(t, "40500", "50000")
		l.end()
		time.Sleep(time.Minute)
		l.tells(t, "at the end", "Prompt credits: used up · Windsurf (2)")
		again := watchOut(t, store)
		again.at = l.at
		again.left(t, "40500", "50000")
		again.tells(t, "after the restart", "Prompt credits: 19 % left · Windsurf (1)")
	})
}

func TestWarnerObeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.left(t, "1000")
		mutes := <-l.warner.Mutes()
		if len(mutes) != 1 || mutes[0].Meter != usage.PromptCredits || mutes[0].On {
			t.Fatalf("mutes: %+v", mutes)
		}
		l.warner.Mute(l.plan, usage.PromptCredits, true)
		synctest.Wait()
		if mutes = <-l.warner.Mutes(); !mutes[0].On {
			t.Errorf("muted: %+v", mutes)
		}
		l.left(t, "40500")
		l.tells(t, "muted")
		l.warner.Mute(l.plan, usage.PromptCredits, false)
		synctest.Wait()
		off := alert.DefaultConfig()
		off.Enabled = false
		l.warner.Configure(WarnerSettings{Alerts: off})
		l.left(t, "40500")
		l.tells(t, "switched off")
		l.warner.Configure(WarnerSettings{Alerts: alert.DefaultConfig()})
		l.left(t, "40500")
		l.tells(t, "switched on", "Prompt credits: 19 % left")
	})
}

// TestWarnerTriesSoon: a notification that was not accepted is retried without new
// figures, less and less often, and no more once it is accepted.
func TestWarnerTriesSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("no daemon")
		start := time.Now()
		l.left(t, "40500")
		time.Sleep(40 * time.Minute)
		synctest.Wait()
		l.mu.Lock()
		var at []string
		for _, try := range l.tries {
			at = append(at, try.Sub(start).String())
		}
		l.err, l.tries = nil, nil
		l.mu.Unlock()
		want := []string{"0s", "10s", "30s", "1m10s", "2m30s", "5m10s", "10m30s", "20m30s", "30m30s"}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("tries (-want +got):\n%s", diff)
		}
		time.Sleep(lastPause)
		l.tells(t, "somebody is there", "Prompt credits: 19 % left")
		time.Sleep(time.Hour)
		l.tells(t, "and then no more")
		synctest.Wait()
		if n := strings.Count(l.log.String(), "notification not shown"); n != 1 {
			t.Errorf("logged %d times", n)
		}
	})
}

// TestWarnerTriesWhatStillHolds: a warning that was muted in the meantime is not
// retried.
func TestWarnerTriesWhatStillHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("no daemon")
		l.left(t, "40500")
		l.mu.Lock()
		l.err = nil
		l.mu.Unlock()
		l.warner.Mute(l.plan, usage.PromptCredits, true)
		time.Sleep(time.Hour)
		l.tells(t, "muted")
	})
}

// TestWarnerOfSeveralPlans: what is due on several plans is shown one after the other,
// each with the picture of its own plan.
func TestWarnerOfSeveralPlans(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.err = errors.New("no daemon")
		l.left(t, "1000", "40500", "50000")
		l.mu.Lock()
		l.err = nil
		l.mu.Unlock()
		time.Sleep(firstPause)
		synctest.Wait()
		want := []desktop.Notification{
			{Title: "Prompt credits: used up · Windsurf (3)", Icon: icon.Icon{Band: icon.Exhausted}, Urgency: desktop.UrgencyCritical},
			{Title: "Prompt credits: 19 % left · Windsurf (2)", Icon: icon.Icon{Band: icon.Low, Level: 2}, Urgency: desktop.UrgencyNormal},
		}
		if diff := cmp.Diff(want, l.full, asFarAs); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		l.tells(t, "both", want[0].Title, want[1].Title)
		l.left(t, "1000", "40600", "50000")
		l.tells(t, "and then no more")
	})
}

// TestWarnerShowsHowGrave: the picture is the icon's, and what stops work or costs
// money is critical.
func TestWarnerShowsHowGrave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.left(t, "40500")
		l.left(t, "48600")
		l.left(t, "50000")
		want := []desktop.Notification{
			{Title: "Prompt credits: 19 % left", Icon: icon.Icon{Band: icon.Low, Level: 2}, Urgency: desktop.UrgencyNormal},
			{Title: "Prompt credits: 3 % left", Icon: icon.Icon{Band: icon.Critical, Level: 1}, Urgency: desktop.UrgencyNormal},
			{Title: "Prompt credits: used up", Icon: icon.Icon{Band: icon.Exhausted}, Urgency: desktop.UrgencyCritical},
		}
		if diff := cmp.Diff(want, l.full, asFarAs); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	want := map[alert.Kind]desktop.Urgency{
		alert.KindInDebt: desktop.UrgencyCritical, alert.KindExtraUsageSpent: desktop.UrgencyCritical, alert.KindOnExtraUsage: desktop.UrgencyCritical,
		alert.KindTopUp: desktop.UrgencyNormal, alert.KindExhausted: desktop.UrgencyCritical, alert.KindLow: desktop.UrgencyNormal,
		alert.KindWillRunOut: desktop.UrgencyNormal, alert.KindRefilled: desktop.UrgencyLow,
	}
	got := map[alert.Kind]desktop.Urgency{}
	for kind := range want {
		got[kind] = urgency(kind)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
