package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/tray"
	"windsock/tray/desktop"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// machine has the app's parts, on clocks that the test sets: the poller at its default
// interval, a history in a file, and the warnings. Time passes in a bubble of
// synctest. A wall clock ahead of it means a sleep, or a changed clock.
type machine struct {
	poller *poll.Poller
	store  *history.Store
	ahead  atomic.Int64 // of the wall clock

	mu sync.Mutex // guards what follows
	// left is the server's share of the day's quota, and resets its reset, by the
	// server's own clock; off says that there is no server.
	left    int
	resets  time.Time
	off     bool
	fetches int
	told    []string
}

// onMachine runs a test on a machine that was switched on at midnight, a minute ago,
// and has its first figures: what is left of the day's quota, and the time until its
// reset.
func onMachine(t *testing.T, left int, resets time.Duration, test func(*testing.T, *machine)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{left: left, resets: time.Now().Add(resets)}
		m.store = history.New(history.Config{Path: filepath.Join(t.TempDir(), "history.db"), Location: time.UTC})
		salt, err := m.store.Salt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m.poller = poll.New(poll.Config{Products: []usage.Product{usage.Windsurf}, Fetch: m.fetch, Record: m.store.Record, Now: m.wall})
		warner := tray.NewWarner(tray.WarnerSettings{Alerts: alert.DefaultConfig()})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := m.poller.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			watch := &alert.Watch{Store: m.store, Salt: salt}
			if err := warner.Run(ctx, m.poller, watch, m, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		test(t, m)
		cancel()
		running.Wait()
		if err := m.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Notify is the desktop's.
func (m *machine) Notify(n desktop.Notification) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = append(m.told, n.Title)
	return nil
}

// Withdraw is the desktop's.
func (*machine) Withdraw(any) {}

func (m *machine) wall() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) }

// set sets the wall clock, as sleep does.
func (m *machine) set(by time.Duration) { m.ahead.Add(int64(by)) }

func (m *machine) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// untilAsked waits until the server is asked.
func (m *machine) untilAsked() {
	asked := func() (n int) { m.server(func() { n = m.fetches }); return n }
	for before := asked(); asked() == before; m.pass(time.Second) {
	}
}

func (m *machine) server(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// fetch is the server's answer; with the fault, it is an error.
func (m *machine) fetch(ctx context.Context, _ poll.Ask) []poll.Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fetches++
	if m.off {
		nobody := probe.NewFinder(probe.WithProcesses(func(int) bool { return false }))
		_, _, err := nobody.UserStatus(ctx, probe.Variants()[:1])
		return []poll.Reading{{Err: err}}
	}
	raw := fmt.Sprintf(`{"userStatus":{"userId":"u","planStatus":{"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},`+
		`"dailyQuotaRemainingPercent":%d,"dailyQuotaResetAtUnix":"%d"}}}`, m.left, m.resets.Unix())
	return []poll.Reading{{Raw: []byte(raw), Variant: "windsurf", App: "Windsurf", PID: 42}}
}

// says checks the visible text: the age of the figures, give or take an interval, the
// sentence beside them, and the meter.
func (m *machine) says(t *testing.T, age time.Duration, sentence, meter string) {
	t.Helper()
	states, cancel := m.poller.Subscribe()
	defer cancel()
	state := (<-states).Lead()
	if got := state.Age(); got < age || got > age+8*time.Minute {
		t.Errorf("figures of %v ago, want %v", got, age)
	}
	words := words.Words{TwelveHour: true}
	said := state.Sentence(words)
	if had := words.Past(state.Snapshot.Source.FetchedAt, state.At); said != "" && !strings.Contains(said, " "+had+" ") {
		t.Errorf("%q does not say that the figures are of %s", said, had)
	}
	if diff := cmp.Diff(sentence, numberless(said)); diff != "" {
		t.Errorf("sentence (-want +got):\n%s", diff)
	}
	var lines []string
	for _, l := range words.Lines(state.Snapshot) {
		lines = append(lines, l.Label+": "+l.Text)
	}
	if diff := cmp.Diff(meter, strings.Join(lines, "\n")); diff != "" {
		t.Errorf("meter (-want +got):\n%s", diff)
	}
}

// has checks the notifications, the number of requests to the server, and the number
// of samples in the history.
func (m *machine) has(t *testing.T, fetches, samples int, told ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if diff := cmp.Diff(told, m.told); diff != "" {
		t.Errorf("notifications (-want +got):\n%s", diff)
	}
	if m.fetches > fetches {
		t.Errorf("asked %d times, want at most %d", m.fetches, fetches)
	}
	if got, err := m.store.Samples(t.Context(), time.Time{}); err != nil || len(got) != samples {
		t.Errorf("history: %v, %v, want %d samples", got, err, samples)
	}
}

// notKnown is a meter whose window is over: it has no figure.
const notKnown = "Daily quota: The window has been reset; the new figure is not known yet"

// clockForthAndBack: by a clock that is three days ahead the quota has reset long ago.
// The app makes no figure of that, sends no endless requests, and repeats no
// notification. The corrected clock shows the figures of before.
func clockForthAndBack(t *testing.T) {
	t.Helper()
	onMachine(t, 8, 9*time.Hour, func(t *testing.T, m *machine) {
		t.Helper()
		m.says(t, 0, "", "Daily quota: 8 % left")
		m.has(t, 1, 1, "Daily quota: 8 % left")
		m.set(72 * time.Hour)
		m.says(t, 72*time.Hour, "", notKnown)
		m.pass(20 * time.Minute)
		m.says(t, 0, "", notKnown)
		m.has(t, 6, 1, "Daily quota: 8 % left")
		m.set(-72 * time.Hour)
		m.pass(20 * time.Minute)
		m.says(t, 0, "", "Daily quota: 8 % left")
		m.has(t, 11, 1, "Daily quota: 8 % left")
	})
}

// clockAYearForthAndBack: what is recorded under the wrong clock stays in its place, what
// was muted is muted, and after it the figures, the pace and the warnings are those of
// before.
func clockAYearForthAndBack(t *testing.T) {
	t.Helper()
	const year = 366 * 24 * time.Hour
	onMachine(t, 8, 90*time.Hour, func(t *testing.T, m *machine) {
		t.Helper()
		m.has(t, 1, 1, "Daily quota: 8 % left")
		m.pass(13 * time.Hour)
		m.has(t, 200, 3, "Daily quota: 8 % left")
		m.set(year)
		m.says(t, year, "", notKnown)
		m.pass(48 * time.Hour)
		m.says(t, 0, "", notKnown)
		m.has(t, 900, 3, "Daily quota: 8 % left")
		m.set(-year)
		m.pass(20 * time.Minute)
		m.says(t, 0, "", "Daily quota: 8 % left")
		m.has(t, 910, 4, "Daily quota: 8 % left")
		m.server(func() { m.left = 3 })
		m.pass(20 * time.Minute)
		m.says(t, 0, "", "Daily quota: 3 % left")
		m.has(t, 920, 5, "Daily quota: 8 % left", "Daily quota: 3 % left")
	})
}

// sleepWithoutEditor: yesterday's figures stay, and are marked as such.
func sleepWithoutEditor(t *testing.T) {
	t.Helper()
	onMachine(t, 8, 30*time.Hour, func(t *testing.T, m *machine) {
		t.Helper()
		m.pass(20 * time.Hour)
		m.untilAsked() // so that the next question would be minutes away
		m.server(func() { m.off = true })
		m.set(8 * time.Hour)
		m.says(t, 8*time.Hour, "", "Daily quota: 8 % left") // asleep, they did not become stale
		m.pass(2 * time.Minute)
		m.says(t, 8*time.Hour, "Showing figures of TIME (Windsurf is not running)", "Daily quota: 8 % left")
		m.has(t, 300, 4, "Daily quota: 8 % left")
		m.server(func() { m.off = false })
		m.pass(2 * time.Minute)
		m.says(t, 0, "", "Daily quota: 8 % left")
		m.has(t, 300, 5, "Daily quota: 8 % left")
	})
}

// resetWhileAsleep: until the server has been asked, nothing is known of the new
// window.
func resetWhileAsleep(t *testing.T) {
	t.Helper()
	onMachine(t, 0, 9*time.Hour, func(t *testing.T, m *machine) {
		t.Helper()
		m.says(t, 0, "", "Daily quota: Used up · back Sat 9:00 AM")
		m.server(func() { m.left, m.resets = 100, m.resets.Add(24*time.Hour) })
		m.set(10 * time.Hour)
		m.says(t, 10*time.Hour, "", notKnown)
		m.has(t, 1, 1, "Daily quota: used up")
		m.pass(2 * time.Minute)
		m.says(t, 0, "", "Daily quota: 100 % left")
		m.pass(20 * time.Minute)
		m.has(t, 8, 2, "Daily quota: used up", "Daily quota: refilled")
	})
}
