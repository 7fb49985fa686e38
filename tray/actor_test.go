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

	"windsock/usage"
	"windsock/usage/alert"
)

// fakePoller sends what a test tells it to.
type fakePoller struct {
	states chan usage.PollState
	mu     sync.Mutex // guards the rest
	asked  int
	wait   time.Duration
}

func (p *fakePoller) Subscribe() (states <-chan usage.PollState, cancel func()) {
	return p.states, func() {}
}

func (p *fakePoller) Refresh() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return p.wait
}

// fakeLogin is an entry in a file that takes a second to read or write.
type fakeLogin struct {
	mu  sync.Mutex // guards the rest
	on  bool
	err error
	// early reads at the beginning of that second, unreadable is why it cannot.
	early      bool
	unreadable error
}

func (l *fakeLogin) Enabled() (bool, error) {
	on, err := l.read()
	time.Sleep(time.Second)
	if l.early {
		return on, err
	}
	return l.read()
}

func (l *fakeLogin) Enable() error  { return l.set(true) }
func (l *fakeLogin) Disable() error { return l.set(false) }

func (l *fakeLogin) read() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on, l.unreadable
}

func (l *fakeLogin) set(on bool) error {
	time.Sleep(time.Second)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.on = on
	}
	return l.err
}

// stage is an actor with all that it meets.
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
		fakeHost: &fakeHost{}, poller: &fakePoller{states: make(chan usage.PollState)},
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

func (s *stage) send(p usage.PollState) {
	s.poller.states <- p
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
		if got := s.label(RowStatus); got != "Asking for the figures…" {
			t.Errorf("at first: %q", got)
		}
		time.Sleep(settle)
		synctest.Wait()
		s.taken()
		s.send(poll(t, creditsAnswer, 0))
		first := s.seen()
		if diff := cmp.Diff(render(State{Poll: poll(t, creditsAnswer, 0), Version: "1.0"}), first); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.taken()
		s.send(poll(t, creditsAnswer, 0))
		if calls := s.taken(); calls != nil {
			t.Errorf("the same state again: %q", calls)
		}
		s.send(poll(t, creditsAnswer, time.Minute))
		want := []string{"label 1 Windsurf · Teams · updated 1 min ago"}
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
		s.send(poll(t, creditsAnswer, 0))
		s.taken()
		time.Sleep(settle)
		synctest.Wait()
		want := []string{"icon ok 9/10", "title ", "tooltip Prompt credits: 453 of 500 left (91 %) · On course: ~82 % left at reset · resets in 14d 22h (18 Feb)"}
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

func TestActorRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.send(poll(t, creditsAnswer, 0))
		s.click(RowRefresh)
		if s.poller.asked != 1 || s.label(RowRefresh) != "Refresh now" {
			t.Errorf("asked %d times, row %q", s.poller.asked, s.label(RowRefresh))
		}
		s.poller.wait = 3 * time.Second
		s.click(RowRefresh)
		s.click(RowRefresh)
		if got := s.label(RowRefresh); got != "Refresh now (possible in 3 s)" {
			t.Errorf("too early: %q", got)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if got := s.label(RowRefresh); got != "Refresh now" {
			t.Errorf("later: %q", got)
		}
	})
}

func TestActorStartAtLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		login := &fakeLogin{}
		s := play(t, func(a *App) { a.Autostart = login })
		after := func(what string, want Row) {
			t.Helper()
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if diff := cmp.Diff(want, s.seen().Rows[RowLogin]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		if got := s.label(RowLogin); got != "" {
			t.Errorf("before it is known: %q", got)
		}
		after("off", Row{Label: "Start at login"})
		s.click(RowLogin)
		after("switched on", Row{Label: "Start at login", Checked: true})
		s.click(RowLogin)
		after("switched off", Row{Label: "Start at login"})
		login.mu.Lock()
		login.on = true
		login.mu.Unlock()
		s.send(poll(t, creditsAnswer, 0))
		after("switched on by somebody else", Row{Label: "Start at login", Checked: true})
		login.err = spokenError{"", "The entry cannot be written."}
		s.click(RowLogin)
		after("not to be switched off", Row{Label: "Start at login", Checked: true})
		if got := s.label(rowNote); got != "The entry cannot be written." {
			t.Errorf("failure: %q", got)
		}
		s.click(RowRefresh)
		if got := s.label(rowNote); got != "" {
			t.Errorf("failure after the next click: %q", got)
		}
	})
}

func TestActorOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan string, 3)
		s := play(t, func(a *App) {
			a.Open = func(_ context.Context, address string) error { opened <- address; return nil }
			a.Settings = func(context.Context) error { opened <- "settings"; return errors.New("no editor") }
		})
		s.click(RowManage)
		s.click(RowManage) // impatiently, which opens nothing
		s.send(poll(t, acuAnswer, 0))
		time.Sleep(openPause + time.Second)
		s.click(RowManage)
		s.click(RowSettings)
		got := []string{<-opened, <-opened, <-opened}
		want := []string{"https://windsurf.com/subscription/manage-plan", "https://app.devin.ai/settings/usage", "settings"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		synctest.Wait()
		if got := s.label(rowNote); !strings.HasPrefix(got, "The settings could not be opened.") {
			t.Errorf("failure: %q", got)
		}
		time.Sleep(failureStays)
		synctest.Wait()
		if got := s.label(rowNote); got != "" {
			t.Errorf("failure, much later: %q", got)
		}
		if n := len(opened); n != 0 {
			t.Errorf("%d more opened", n)
		}
	})
}

// TestActorSavesDiagnostics: the click holds up nothing, and a failure is told.
func TestActorSavesDiagnostics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		examined := make(chan error)
		s := play(t, func(a *App) {
			a.Diagnose = func(context.Context) error { return <-examined }
		})
		if got := s.label(RowDiagnostics); got != "Save diagnostics…" {
			t.Errorf("the row: %q", got)
		}
		s.click(RowDiagnostics)
		s.send(poll(t, creditsAnswer, 0))
		if got := s.label(RowHeading); got != "Windsurf · Teams · updated just now" {
			t.Errorf("meanwhile: %q", got)
		}
		examined <- errors.New("disk full")
		synctest.Wait()
		if got := s.label(rowNote); !strings.HasPrefix(got, "The diagnostics could not be saved.") {
			t.Errorf("failure: %q", got)
		}
		time.Sleep(openPause + time.Second)
		s.click(RowDiagnostics)
		examined <- nil
		synctest.Wait()
		if got := s.label(rowNote); got != "" {
			t.Errorf("failure, where there is none: %q", got)
		}
	})
}

func TestActorMutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		warner := NewWarner(WarnerSettings{})
		s := play(t, func(a *App) { a.Warner = warner })
		s.send(poll(t, debtAnswer, 0))
		if got := s.label(RowMute); got != "" {
			t.Errorf("before there is anything to mute: %q", got)
		}
		warner.muted <- []alert.Mute{{Meter: usage.PromptCredits}, {Meter: usage.WeeklyQuota, Until: noon.Add(116 * time.Hour)}}
		synctest.Wait()
		want := Row{Label: "Mute warnings: Weekly quota (until Sun 08:00)"}
		if diff := cmp.Diff(want, s.seen().Rows[RowMute]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.click(RowMute)
		if diff := cmp.Diff(muteWish{usage.WeeklyQuota, true}, <-warner.mutes, cmp.AllowUnexported(muteWish{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.click(RowMute + 1) // hidden, and clicked in the moment that it was
	})
}

// TestActorDoesNotWaitForABrowser: a page that is slow to open holds up neither
// the figures nor the end.
func TestActorDoesNotWaitForABrowser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		s := play(t, func(a *App) {
			a.Open = func(context.Context, string) error { <-closed; return errors.New("crashed") }
		})
		s.click(RowManage)
		s.send(poll(t, creditsAnswer, 0))
		if got := s.label(RowHeading); got != "Windsurf · Teams · updated just now" {
			t.Errorf("meanwhile: %q", got)
		}
		s.end()
		close(closed)
	})
}

func TestActorTakesSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.send(poll(t, quotaAnswer, 0))
		s.changes <- Options{Config: Config{Title: true}, Words: usage.Words{TwelveHour: true}, Problem: "Line 3 is odd."}
		synctest.Wait()
		v := s.seen()
		if v.Title != "42%" || !strings.Contains(v.Tooltip, "8:00 AM") || v.Rows[rowNote].Label != "Line 3 is odd." {
			t.Errorf("%s", v)
		}
		close(s.changes)
		synctest.Wait()
		s.send(poll(t, creditsAnswer, 0))
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

// TestActorLooksAgain: a look that began before a change does not have the last
// word.
func TestActorLooksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		login := &fakeLogin{early: true}
		s := play(t, func(a *App) { a.Autostart = login })
		time.Sleep(2 * time.Second)
		s.send(poll(t, creditsAnswer, 0)) // looks
		s.click(RowLogin)                 // and changes it meanwhile
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !s.seen().Rows[RowLogin].Checked {
			t.Error("no check mark")
		}
		login.mu.Lock()
		login.unreadable = errors.New("torn")
		login.mu.Unlock()
		s.send(poll(t, creditsAnswer, time.Minute))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := s.label(RowLogin); got != "" || !strings.Contains(s.log.String(), "torn") {
			t.Errorf("unreadable: %q, log %s", got, s.log)
		}
	})
}

func TestActorLogsChangesOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		for range 3 {
			s.send(poll(t, creditsAnswer, 0))
		}
		for range 3 {
			s.send(failed(errNotRunning))
		}
		s.send(failed(errors.New("odd")))
		s.send(poll(t, creditsAnswer, 0))
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
