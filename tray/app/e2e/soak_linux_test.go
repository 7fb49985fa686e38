package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"windsock/probe/simulator/account"
	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

var (
	soakFor  = flag.Duration("for", 25*time.Second, "how long TestSoak takes")
	soakSeed = flag.Uint64("seed", 1, "what TestSoak draws from what happens when")
)

// TestSoak runs the app through the events of several weeks, and checks that it is the
// same afterwards: with an icon on a private session bus, and without one. Each has plans
// of five accounts: Windsurf, Windsurf Next, Antigravity, Cursor, and Devin's command line
// where no editor runs. For Antigravity and the services a day takes half a minute; the
// app polls every second. Meanwhile, in a random order from a seed, editors restart, crash,
// freeze and misbehave in every way that the simulator knows, so do the services, accounts
// change, sign-ins are rewritten, locked and removed, the settings are edited and broken,
// rows of the menu are clicked, the panel and the notification daemon go and come back.
// Prompts are sent by the command, the window, the local API and to an agent, and are left
// and killed in the middle; other commands run beside. The app's use of resources is
// sampled throughout.
//
// All the while each figure that is shown has to be one that a server had said of that
// plan's account, and an old one is marked: see soak_told_linux_test.go. No prompt is sent
// twice, no cascade, session or program of an agent is left.
//
// At the default duration chance is larger than a small leak. A longer run sees more:
//
//	go test -run '^TestSoak$' -v -timeout 0 ./tray/app/e2e -for 10m
func TestSoak(t *testing.T) {
	warmUp, every, slack := min(*soakFor*7/25, time.Minute), min(max(*soakFor/25, time.Second), 3*time.Second), 1
	if *soakFor < 10*time.Minute {
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
		var all sync.WaitGroup // of more tests at once than -parallel lets run
		defer all.Wait()
		for i, s := range w.sessions {
			all.Go(func() {
				t.Run("watch "+s.name, func(t *testing.T) {
					for at := time.Duration(0); at < *soakFor; at = time.Since(begin) {
						if !s.app.Running() {
							t.Fatalf("it has ended:\n%s", s.app.Output())
						}
						samples[i] = append(samples[i], sample{at, s.sampleOf(t)})
						time.Sleep(250 * time.Millisecond)
					}
				})
			})
			all.Go(func() {
				t.Run("read "+s.name, func(t *testing.T) { w.reads(t, s, begin.Add(*soakFor)) })
			})
		}
		for l, do := range w.lanes() {
			all.Go(func() {
				t.Run(fmt.Sprint("lane ", l), func(t *testing.T) {
					for _, s := range plan {
						if s.lane != lane(l) || time.Since(begin) > *soakFor {
							continue
						}
						time.Sleep(time.Until(begin.Add(s.at)))
						began := time.Now()
						end := do(t, s)
						time.Sleep(s.hold)
						end()
						w.did(s, began)
						if s.anew {
							w.settings.askAnew(t)
						}
					}
				})
			})
		}
	})
	w.tells(t, samples)
	for _, s := range w.sessions {
		if !s.app.Running() {
			return
		}
	}
	w.comesBack(t)
	w.leavesNoPrompt(t)
	for i, s := range w.sessions {
		t.Run(s.name, func(t *testing.T) {
			judge(t, samples[i], warmUp, slack)
			s.ends(t, t.Failed())
		})
	}
}

// A soakSession is a person's session with the app in it.
type soakSession struct {
	*editor

	name string
	icon bool
	app  *traytest.Process
	api  served
	more []string // of the environment

	mu       sync.Mutex        // guards accounts
	accounts map[string]string // whose they are, by their hashes
}

const soakSessions = 2

func (s *soakSession) gauges() string   { return filepath.Join(s.bus.Dir(), "gauges") }
func (s *soakSession) home() string     { return filepath.Join(s.bus.Dir(), "home") }
func (s *soakSession) state() string    { return filepath.Join(s.home(), ".local", "state", "windsock") }
func (s *soakSession) signedIn() string { return filepath.Join(s.home(), ".config", "Windsurf") }
func (s *soakSession) database() string {
	return filepath.Join(s.signedIn(), "User", "globalStorage", "state.vscdb")
}

// doing does a step. It is over when end has returned.
type doing func(*testing.T, step) (end func())

// soak is all that is there.
type soak struct {
	sessions [soakSessions]*soakSession
	settings *soakSettings
	watcher  *traytest.Watcher
	notifier *traytest.Notifier
	item     *traytest.Item
	browser  fakeBrowser
	pages    int // that the browser was to show
	services *cloud.Server
	// cursorState is that of Cursor's account at its service.
	cursorState string
	agent       string          // the agent's program
	unknown     map[string]bool // its conversations that nobody will delete
	planted     []string

	lapse    account.Lapse
	editors  [3]*soakEditor
	told     toldFigures
	looks    atomic.Int64
	prompted atomic.Int64

	hearing sync.Mutex // while it is taken what servers have told

	mu       sync.Mutex // guards what follows
	hidden   bool       // no editor can be seen
	servers  []soakServer
	cursor   map[string]json.RawMessage // the last answers of its methods
	prompts  []soakPrompt
	outcomes map[string]int
	took     map[lane]time.Duration // the longest step
	steps    int
}

func (w *soak) lanes() [lanes]doing {
	return [lanes]doing{
		laneWindsurf: w.editorStep(w.editors[0]), laneNext: w.editorStep(w.editors[1]), laneAntigravity: w.editorStep(w.editors[2]),
		laneSignIn: w.signInStep, laneCloud: w.cloudStep, laneDesktop: w.desktopStep,
		lanePrompt: w.promptStep, laneAgent: w.agentStep, laneCommand: w.commandStep,
	}
}

// did counts a step that is over.
func (w *soak) did(s step, began time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps++
	w.took[s.lane] = max(w.took[s.lane], time.Since(began))
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	w := &soak{
		settings: &soakSettings{}, unknown: map[string]bool{}, outcomes: map[string]int{}, took: map[lane]time.Duration{}, cursor: map[string]json.RawMessage{},
		told: toldFigures{all: map[string][]toldAnswer{}}, cursorState: cursorStates[0],
		lapse: account.Lapse{Start: time.Now(), Speed: float64(24*time.Hour) / float64(30*time.Second)},
	}
	w.serve(t)
	for i, name := range [soakSessions]string{"with an icon", "without an icon"} {
		bus := traytest.StartBus(t)
		s := &soakSession{editor: signIn(t, bus), name: name, icon: i == 0, accounts: map[string]string{}}
		s.tokens = append(s.tokens, nextKey, devinToken, soakCursor)
		w.sessions[i] = s
		if err := simtest.SignIn(s.signedIn()+" - Next", simtest.Auth{Key: nextKey}); err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(bus.Dir(), "root.pem")
		if err := os.WriteFile(root, w.services.Root(), 0o600); err != nil {
			t.Fatal(err)
		}
		s.more = []string{"HTTPS_PROXY=" + w.services.ProxyURL(), "SSL_CERT_FILE=" + root}
		w.settings.files = append(w.settings.files, filepath.Join(bus.Dir(), "home", ".config", "windsock", "config.toml"))
		w.settings.ports = append(w.settings.ports, 42194+i)
	}
	for _, who := range []string{"cursor", "devin-cli"} {
		w.signsIn(t, who)
		w.opens(t, who)
	}
	w.settings.edit(t)
	w.editors = w.newEditors(t)
	for _, e := range w.editors {
		w.startEditor(t, e, asEver)
	}
	w.agent = agentOf(t, w.editors[0].server)
	w.planted = w.live(t)
	desktop := w.sessions[0].bus
	w.notifier = desktop.Notifier(t, "body", "body-markup")
	w.watcher = desktop.Watch(t, true)
	w.browser = newFakeBrowser(t, desktop)
	for _, s := range w.sessions {
		cmd := s.command(t)
		if s.icon {
			cmd.Env = append(cmd.Env, w.browser.env())
		} else { // where no bus is
			cmd = s.command(t, "--headless")
			s.more = append(s.more, "DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(s.bus.Dir(), "none"))
		}
		cmd.Env = append(append(cmd.Env, s.more...), testGauges+"="+s.gauges())
		s.app = s.bus.Start(t, cmd)
	}
	w.item = desktop.Item(t, w.sessions[0].app.PID())
	for _, s := range w.sessions {
		s.api = s.served(t)
		s.tokens = append(s.tokens, s.api.key)
	}
	return w
}

// nextKey is the key of Windsurf Next's account.
const nextKey = "sk-ws-01-soak-next-key"

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
				w.happened(s.kind)
				break
			}
		}
	case hostGone:
		w.watcher.SetHost(t, false)
		return func() { w.watcher.SetHost(t, true) }
	case noticesGone:
		w.notifier.Stop(t)
		return func() { w.notifier = w.sessions[0].bus.Notifier(t, "body", "body-markup") }
	default: // panelGone
		w.watcher.Stop(t)
		return func() { w.watcher.Start(t) }
	}
	return func() {}
}
