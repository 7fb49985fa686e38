package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
	"windsock/probe/simulator/simtest"
)

// A soakEditor is one editor of which servers come and go.
type soakEditor struct {
	who     string // as in tellers
	options simulator.Options
	// account is the present one; server runs, but for a moment, and second is another
	// window's, or nil.
	account        string
	server, second *simulator.Process
}

// A soakServer is a server that runs or has run.
type soakServer struct {
	*simulator.Process

	who string
}

// newEditors are the editors of three accounts. The time of those that take prompts is real.
func (w *soak) newEditors(t *testing.T) [3]*soakEditor {
	t.Helper()
	home := w.sessions[0].home()
	turns := simulator.Cascade{Idle: 50 * time.Millisecond, Tick: 10 * time.Millisecond, PanelReady: true, Old: 5}
	return [3]*soakEditor{
		{who: "windsurf", account: soakAccounts[0], options: simulator.Options{
			IDEName: "windsurf", App: simulator.DesktopApp(), RunChild: true, Home: home,
			Agent: &agent.Behaviour{Turn: "echo", Tick: time.Millisecond}, Config: simulator.Config{Cascade: turns},
		}},
		{who: "windsurf-next", account: nextAccounts[0], options: simulator.Options{
			IDEName: "windsurf-next", App: "usr/share/windsurf-next", RunChild: true, Home: home,
			Config: simulator.Config{Account: "sam", Cascade: turns},
		}},
		{who: "antigravity", account: agyAccounts[0], options: simulator.Options{
			Config: simulator.Config{Antigravity: simulator.AntigravityApp, Account: "alex", Lapse: w.lapse},
		}},
	}
}

// start starts a server of the editor; one in three talks TLS, one in two has its token on
// its command line.
func (w *soak) start(t *testing.T, e *soakEditor, more func(*simulator.Config)) *simulator.Process {
	t.Helper()
	w.mu.Lock()
	n := len(w.servers)
	w.mu.Unlock()
	o := e.options
	o.Root = filepath.Join(w.sessions[0].bus.Dir(), e.who) // that of a second window, too, with the same agent
	o.Token = []simulator.TokenStyle{simulator.TokenEnv, simulator.TokenFlag}[n%2]
	o.Config.Scenario, o.Config.TLS, o.Config.Tells = e.account, n%3 == 2, true
	more(&o.Config)
	if err := os.MkdirAll(o.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	server := simtest.Start(t, o)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers = append(w.servers, soakServer{server, e.who})
	for _, s := range w.sessions {
		s.tokens = append(s.tokens, server.Ready().Token)
	}
	return server
}

func asEver(*simulator.Config) {}

func (w *soak) startEditor(t *testing.T, e *soakEditor, more func(*simulator.Config)) {
	t.Helper()
	server := w.start(t, e, more)
	w.list(t, func() { e.server = server })
}

// list changes which processes there are, and tells the apps.
func (w *soak) list(t *testing.T, change func()) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	var pids []string
	for _, e := range w.editors {
		for _, server := range []*simulator.Process{e.server, e.second} {
			if server == nil || w.hidden {
				continue
			}
			for _, pid := range server.PIDs() {
				pids = append(pids, fmt.Sprint(pid))
			}
		}
	}
	for _, s := range w.sessions {
		replaceFile(t, s.pids(), strings.Join(pids, " "))
	}
}

func (w *soak) editorStep(e *soakEditor) doing {
	return func(t *testing.T, s step) (end func()) {
		t.Helper()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		healthy := func() { must(e.server.Set(t.Context(), e.account, simulator.FaultNone)) }
		again := func() { w.startEditor(t, e, asEver) }
		switch s.kind {
		case restarted:
			must(e.server.Stop())
			return again
		case killed:
			must(e.server.Kill())
			return again
		case stopped:
			signalServer(t, e.server, syscall.SIGSTOP)
			return func() { signalServer(t, e.server, syscall.SIGCONT) }
		case secondWindow:
			second := w.start(t, e, asEver)
			w.list(t, func() { e.second = second })
			return func() {
				must(second.Stop())
				w.list(t, func() { e.second = nil })
			}
		case otherAccount:
			e.account = s.what
			healthy()
			return func() {}
		default: // faulty
			fault := simulator.Fault(s.what)
			if fault != simulator.FaultSlowStart && fault != simulator.FaultNotReady {
				must(e.server.Set(t.Context(), e.account, fault))
				return healthy
			}
			must(e.server.Stop())
			w.startEditor(t, e, func(c *simulator.Config) { c.Fault, c.SlowStart = fault, s.hold })
			return healthy
		}
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
