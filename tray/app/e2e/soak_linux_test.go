package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

var (
	soakFor  = flag.Duration("for", 25*time.Second, "how long TestSoak takes")
	soakSeed = flag.Uint64("seed", 1, "what TestSoak draws from what happens when")
)

// TestSoak runs the app through the events of several weeks, and checks that it is the
// same afterwards: with an icon on a private session bus, and without one. A day of the
// accounts takes half a minute, and the app polls every second. Meanwhile, in a random
// order from a seed, editors restart, crash, freeze and misbehave in every way that the
// simulator knows, accounts change, state.vscdb is rewritten, locked and removed, the
// settings are edited and broken, rows of the menu are clicked, and the panel goes and
// comes back. The app's use of resources is sampled throughout.
//
// At the default duration chance is larger than a small leak. A longer run sees more:
//
//	go test -run '^TestSoak$' -v -timeout 0 ./tray/app/e2e -for 10m
func TestSoak(t *testing.T) {
	warmUp, every, slack := min(*soakFor*7/25, time.Minute), min(max(*soakFor/25, time.Second), 3*time.Second), 1
	if *soakFor < 2*time.Minute {
		slack = 3
	}
	plan := soakPlan(*soakFor, warmUp, every, *soakSeed)
	if missing := missingOf(plan); missing != nil {
		t.Fatalf("too short for %q", missing)
	}
	w := newSoak(t)
	begin := time.Now()
	samples := make([][]sample, len(w.sessions))
	t.Run("live", func(t *testing.T) {
		for i, s := range w.sessions {
			t.Run("watch "+s.name, func(t *testing.T) {
				t.Parallel()
				for at := time.Duration(0); at < *soakFor; at = time.Since(begin) {
					if !s.app.Running() {
						t.Fatalf("it has ended:\n%s", s.app.Output())
					}
					samples[i] = append(samples[i], sample{at, s.sampleOf(t)})
					time.Sleep(250 * time.Millisecond)
				}
			})
		}
		for l, do := range []func(*testing.T, step) (end func()){w.editorStep, w.signInStep, w.desktopStep} {
			t.Run(fmt.Sprint("lane ", l), func(t *testing.T) {
				t.Parallel()
				for _, s := range plan {
					if s.lane != lane(l) {
						continue
					}
					time.Sleep(time.Until(begin.Add(s.at)))
					end := do(t, s)
					time.Sleep(s.hold)
					end()
					if s.anew {
						w.settings.askAnew(t)
					}
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	w.comesBack(t)
	for i, s := range w.sessions {
		t.Run(s.name, func(t *testing.T) {
			judge(t, samples[i], warmUp, slack)
			s.ends(t, t.Failed())
		})
	}
	calls := map[string]int{}
	for _, server := range w.servers {
		for rpc, n := range server.Count() {
			calls[rpc] += n
		}
	}
	t.Logf("%d steps, %d servers, %d polls, clicks: %v", len(plan), len(w.servers), calls["GetUserStatus"], w.clicks)
}

// A soakSession is a person's session with the app in it.
type soakSession struct {
	*editor

	name string
	app  *traytest.Process
}

func (s *soakSession) gauges() string   { return filepath.Join(s.bus.Dir(), "gauges") }
func (s *soakSession) home() string     { return filepath.Join(s.bus.Dir(), "home") }
func (s *soakSession) state() string    { return filepath.Join(s.home(), ".local", "state", "windsock") }
func (s *soakSession) signedIn() string { return filepath.Join(s.home(), ".config", "Windsurf") }
func (s *soakSession) database() string {
	return filepath.Join(s.signedIn(), "User", "globalStorage", "state.vscdb")
}

// soak is all that is there.
type soak struct {
	sessions []*soakSession
	settings *soakSettings
	watcher  *traytest.Watcher
	item     *traytest.Item
	clicks   map[string]int

	lapse         account.Lapse
	account       string
	first, second *simulator.Process
	servers       []*simulator.Process // all that have run
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	w := &soak{
		settings: &soakSettings{}, clicks: map[string]int{}, account: soakAccounts[0],
		lapse: account.Lapse{Start: time.Now(), Speed: float64(24*time.Hour) / float64(30*time.Second)},
	}
	for _, name := range []string{"with an icon", "without an icon"} {
		bus := traytest.StartBus(t)
		w.sessions = append(w.sessions, &soakSession{editor: signIn(t, bus), name: name})
		w.settings.files = append(w.settings.files, filepath.Join(bus.Dir(), "home", ".config", "windsock", "config.toml"))
	}
	w.settings.edit(t)
	t.Cleanup(func() {
		for _, server := range w.servers {
			_ = server.Stop() // most have ended
		}
	})
	w.startEditor(t, w.ordinary())
	desktop := w.sessions[0].bus
	desktop.Notifier(t, "body", "body-markup")
	w.watcher = desktop.Watch(t, true)
	for i, s := range w.sessions {
		cmd := s.command(t, [][]string{nil, {"--headless"}}[i]...)
		cmd.Env = append(cmd.Env, testGauges+"="+s.gauges())
		if i == 1 { // where no bus is
			cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(s.bus.Dir(), "none"))
		}
		s.app = s.bus.Start(t, cmd)
	}
	w.item = desktop.Item(t, w.sessions[0].app.PID())
	return w
}

// open starts a server; one in three talks TLS, one in two has its token on its
// command line.
func (w *soak) open(t *testing.T, root string, c simulator.Config) *simulator.Process {
	t.Helper()
	styles := []simulator.TokenStyle{simulator.TokenEnv, simulator.TokenFlag}
	c.TLS = len(w.servers)%3 == 2
	root = filepath.Join(w.sessions[0].bus.Dir(), root)
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	server := simtest.Start(t, simulator.Options{
		Root: root, IDEName: "windsurf", App: "usr/share/windsurf", RunChild: true, Token: styles[len(w.servers)%len(styles)], Config: c,
	})
	w.servers = append(w.servers, server)
	for _, s := range w.sessions {
		s.tokens = append(s.tokens, server.Ready().Token)
	}
	return server
}

func (w *soak) ordinary() simulator.Config {
	return simulator.Config{Scenario: w.account, Lapse: w.lapse}
}

func (w *soak) startEditor(t *testing.T, c simulator.Config) {
	t.Helper()
	w.first = w.open(t, "first", c)
	w.list(t)
}

// list tells the apps which processes there are.
func (w *soak) list(t *testing.T) {
	t.Helper()
	var pids []string
	for _, server := range []*simulator.Process{w.first, w.second} {
		if server == nil {
			continue
		}
		for _, pid := range server.PIDs() {
			pids = append(pids, fmt.Sprint(pid))
		}
	}
	for _, s := range w.sessions {
		replaceFile(t, s.pids(), strings.Join(pids, " "))
	}
}

func (w *soak) editorStep(t *testing.T, s step) (end func()) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	healthy := func() { must(w.first.Set(t.Context(), w.account, simulator.FaultNone)) }
	switch s.kind {
	case restarted:
		must(w.first.Stop())
		return func() { w.startEditor(t, w.ordinary()) }
	case killed:
		must(w.first.Kill())
		return func() { w.startEditor(t, w.ordinary()) }
	case stopped:
		signalServer(t, w.first, syscall.SIGSTOP)
		return func() { signalServer(t, w.first, syscall.SIGCONT) }
	case secondWindow:
		w.second = w.open(t, "second", w.ordinary())
		w.list(t)
		return func() {
			must(w.second.Stop())
			w.second = nil
			w.list(t)
		}
	case otherAccount:
		w.account = s.what
		healthy()
		return func() {}
	default: // faulty
		fault := simulator.Fault(s.what)
		if fault != simulator.FaultSlowStart {
			must(w.first.Set(t.Context(), w.account, fault))
			return healthy
		}
		must(w.first.Stop())
		c := w.ordinary()
		c.Fault, c.SlowStart = fault, s.hold
		w.startEditor(t, c)
		return healthy
	}
}

func (w *soak) signInStep(t *testing.T, s step) (end func()) {
	t.Helper()
	switch s.kind {
	case keyRewritten:
		w.signIn(t, s.what)
		return func() {}
	case keyLocked:
		var unlock []func()
		for _, session := range w.sessions {
			unlock = append(unlock, lockDatabase(t, session.database()))
		}
		return func() {
			for _, u := range unlock {
				u()
			}
		}
	default: // keyGone
		for _, session := range w.sessions {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(session.database() + suffix) // not all are there
			}
		}
		return func() { w.signIn(t, "plain") }
	}
}

// signIn signs in, with a key in one of the forms that it can have.
func (w *soak) signIn(t *testing.T, form string) {
	t.Helper()
	for _, s := range w.sessions {
		err := simtest.SignIn(s.signedIn(), simtest.Auth{Key: testKey, Blob: form == "blob", Wide: form == "wide", WAL: form == "wal"})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (w *soak) desktopStep(t *testing.T, s step) (end func()) {
	t.Helper()
	switch s.kind {
	case settingsEdited:
		w.settings.edit(t)
	case settingsBroken:
		w.settings.spoil(t, true)
		return func() { w.settings.spoil(t, false) }
	case refreshClicked, muteClicked:
		prefix := map[string]string{refreshClicked: "Refresh", muteClicked: "Mute"}[s.kind]
		for _, row := range w.item.Menu(t) {
			// A row may change between the look at it and the click.
			if row.Visible && row.Enabled && strings.HasPrefix(row.Label, prefix) && w.item.TryClick(t, row.Label) {
				w.clicks[s.kind]++
				break
			}
		}
	case hostGone:
		w.watcher.SetHost(t, false)
		return func() { w.watcher.SetHost(t, true) }
	default: // panelGone
		w.watcher.Stop(t)
		return func() { w.watcher.Start(t) }
	}
	return func() {}
}

// soakEnd is the account that is signed in at the end, and not before, whose figures
// are known by the simulator's own table.
const (
	soakEnd     = "acu"
	soakEndMenu = "ACUs: 8,765.43 of 10,000 left (88 %)"
)

// comesBack starts the editor once more, and checks that the figures of an account that
// stands still come into the menu and the history, as status has them.
func (w *soak) comesBack(t *testing.T) {
	t.Helper()
	if err := w.first.Stop(); err != nil {
		t.Fatal(err)
	}
	w.signIn(t, "plain")
	w.startEditor(t, simulator.Config{Scenario: soakEnd})
	w.settings.askAnew(t)
	type figures struct {
		ID        string      `json:"id"`
		Meter     string      `json:"meter"`
		Used      json.Number `json:"used"`
		Total     json.Number `json:"total"`
		Remaining json.Number `json:"remaining"`
		Starts    string      `json:"window_start"`
		Ends      string      `json:"resets_at"`
	}
	for _, s := range w.sessions {
		var history struct{ Samples []figures }
		var status struct{ Plans []struct{ Meters []figures } }
		waitFor(t, s.name+" has the figures again", func() bool {
			s.read(t, &history, "history", "--json")
			n := len(history.Samples)
			return n > 0 && history.Samples[n-1].Meter == soakEnd
		})
		s.read(t, &status, "status", "--json")
		recorded := history.Samples[len(history.Samples)-1]
		want := figures{ID: soakEnd, Used: "1234.5678", Total: "10000", Remaining: "8765.4322", Starts: recorded.Starts, Ends: recorded.Ends}
		if len(status.Plans) != 1 {
			t.Fatalf("%s: %d plans", s.name, len(status.Plans))
		}
		if diff := cmp.Diff([]figures{want}, status.Plans[0].Meters); diff != "" {
			t.Errorf("%s: status (-want +got):\n%s", s.name, diff)
		}
		want.ID, want.Meter = "", soakEnd
		if diff := cmp.Diff(want, recorded); diff != "" {
			t.Errorf("%s: recorded (-want +got):\n%s", s.name, diff)
		}
	}
	w.item.WaitMenuContains(t, soakEndMenu)
}

// read runs a command in the session, whose answer is JSON.
func (s *soakSession) read(t *testing.T, into any, args ...string) {
	t.Helper()
	cmd := s.command(t, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	s.bus.Start(t, cmd).Wait(t)
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out.String())
	}
}

// soakWarnings are the warnings that the app may log.
var soakWarnings = []string{
	`msg="settings not usable"`,    // the broken ones
	`msg="notification not shown"`, // of the app that has no bus
	`msg="no tray host"`,           // where it is gone ten seconds after the start
}

var (
	warned  = regexp.MustCompile(`level=(WARN|ERROR)`)
	crashed = regexp.MustCompile(`(?m)^(panic:|fatal error:|WARNING: DATA RACE|goroutine \d+)|runtime error`)
)

// ends ends the app, which has logged and printed nothing that it should not, and
// leaves nothing behind. One that has grown says where its goroutines are.
func (s *soakSession) ends(t *testing.T, grown bool) {
	t.Helper()
	if grown {
		s.app.Signal(t, syscall.SIGQUIT)
		s.app.Wait(t)
		t.Log(s.app.Output())
		return
	}
	s.app.Signal(t, syscall.SIGTERM)
	if code := s.app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if crashed.MatchString(s.app.Output()) {
		t.Errorf("it printed:\n%s", s.app.Output())
	}
	tellsNoSecret(t, s.editor, s.app)
	logs, err := filepath.Glob(filepath.Join(s.state(), "windsock.log*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		for line := range strings.Lines(content(t, log)) {
			expected := slices.ContainsFunc(soakWarnings, func(w string) bool { return strings.Contains(line, w) })
			if warned.MatchString(line) && !expected || crashed.MatchString(line) {
				t.Errorf("logged: %s", line)
			}
		}
	}
	leavesNothing(t, s.editor)
	kept := map[string]bool{s.database(): true, filepath.Join(s.home(), ".config", "windsock", "config.toml"): true}
	for _, name := range []string{"history.db", "windsock.log", "windsock.log.1"} {
		kept[filepath.Join(s.state(), name)] = true
	}
	err = filepath.WalkDir(s.home(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !kept[path] {
			t.Errorf("left over: %s; there may be %q", path, slices.Sorted(maps.Keys(kept)))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
