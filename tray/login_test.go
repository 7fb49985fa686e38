package tray

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
		s.send(polled(t, creditsAnswer, 0))
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

// TestActorLooksAgain: a look that began before a change does not have the last
// word.
func TestActorLooksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		login := &fakeLogin{early: true}
		s := play(t, func(a *App) { a.Autostart = login })
		time.Sleep(2 * time.Second)
		s.send(polled(t, creditsAnswer, 0)) // looks
		s.click(RowLogin)                   // and changes it meanwhile
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !s.seen().Rows[RowLogin].Checked {
			t.Error("no check mark")
		}
		login.mu.Lock()
		login.unreadable = errors.New("torn")
		login.mu.Unlock()
		s.send(polled(t, creditsAnswer, time.Minute))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := s.label(RowLogin); got != "" || !strings.Contains(s.log.String(), "torn") {
			t.Errorf("unreadable: %q, log %s", got, s.log)
		}
	})
}
