package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"windsock/probe/simulator"
)

// dayLasts is how long a day of the accounts takes.
const dayLasts = 30 * time.Second

// editor is a simulated editor with its servers; one goroutine has it.
type editor struct {
	dir, pids string
	lapse     simulator.Lapse
	scenario  string

	server, second *simulator.Process
	// all are the servers that there were.
	all []*simulator.Process
}

func newEditor(dir string) *editor {
	return &editor{
		dir: filepath.Join(dir, "editor"), pids: filepath.Join(dir, "pids"), scenario: scenarios[0],
		lapse: simulator.Lapse{Start: time.Now(), Speed: float64(24*time.Hour) / float64(dayLasts)},
	}
}

// open starts a server process; one in three talks TLS, one in two has its token
// on its command line.
func (e *editor) open(ctx context.Context, root string, c simulator.Config) (*simulator.Process, error) {
	if err := os.MkdirAll(filepath.Join(e.dir, root), 0o700); err != nil {
		return nil, fmt.Errorf("make place for the editor: %w", err)
	}
	styles := []simulator.TokenStyle{simulator.TokenEnv, simulator.TokenFlag}
	c.TLS = len(e.all)%3 == 2
	p, err := simulator.Start(context.WithoutCancel(ctx), simulator.Options{
		Root: filepath.Join(e.dir, root), IDEName: "windsurf", App: "usr/share/windsurf",
		RunChild: true, Token: styles[len(e.all)%len(styles)], Config: c,
	})
	if err != nil {
		return nil, err
	}
	e.all = append(e.all, p)
	return p, nil
}

func (e *editor) start(ctx context.Context, c simulator.Config) (err error) {
	if e.server, err = e.open(ctx, "first", c); err != nil {
		return err
	}
	return e.list()
}

// list tells the apps which processes there are.
func (e *editor) list() error {
	var pids []string
	for _, p := range []*simulator.Process{e.server, e.second} {
		if p == nil {
			continue
		}
		for _, pid := range p.PIDs() {
			pids = append(pids, strconv.Itoa(pid))
		}
	}
	err := os.WriteFile(e.pids+".new", []byte(strings.Join(pids, " ")), 0o600)
	if err == nil {
		err = os.Rename(e.pids+".new", e.pids)
	}
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	return nil
}

// calls is how often each RPC was called, of all servers.
func (e *editor) calls() map[string]int {
	calls := map[string]int{}
	for _, p := range e.all {
		for rpc, n := range p.Count() {
			calls[rpc] += n
		}
	}
	return calls
}

// secrets are what must not be told.
func (e *editor) secrets() []string {
	secrets := append(make([]string, 0, 1+len(e.all)), key)
	for _, p := range e.all {
		secrets = append(secrets, p.Ready().Token)
	}
	return secrets
}

// quit ends all of it, also what is stopped.
func (e *editor) quit() error {
	var errs []error
	for _, p := range []*simulator.Process{e.server, e.second} {
		if p != nil {
			_ = send(p, syscall.SIGCONT) // gone already is just as good
			errs = append(errs, p.Stop())
		}
	}
	e.server, e.second = nil, nil
	return errors.Join(errs...)
}

func (e *editor) ordinary() simulator.Config {
	return simulator.Config{Scenario: e.scenario, Lapse: e.lapse}
}

// begin lets something happen, and returns what puts it right.
func (e *editor) begin(ctx context.Context, s step) (end func() error, err error) {
	healthy := func() error { return e.server.Set(ctx, e.scenario, simulator.FaultNone) }
	switch s.kind {
	case restart:
		end = func() error { return e.start(ctx, e.ordinary()) }
		return end, e.server.Stop()
	case crash:
		end = func() error { return e.start(ctx, e.ordinary()) }
		return end, e.server.Kill()
	case freeze:
		return func() error { return send(e.server, syscall.SIGCONT) }, send(e.server, syscall.SIGSTOP)
	case secondWindow:
		if e.second, err = e.open(ctx, "second", e.ordinary()); err != nil {
			return nil, err
		}
		return func() error {
			err := e.second.Stop()
			e.second = nil
			return errors.Join(err, e.list())
		}, e.list()
	case account:
		e.scenario = s.what
		return func() error { return nil }, healthy()
	case fault:
		if simulator.Fault(s.what) != simulator.FaultSlowStart {
			return healthy, e.server.Set(ctx, e.scenario, simulator.Fault(s.what))
		}
		if err := e.server.Stop(); err != nil {
			return nil, err
		}
		c := e.ordinary()
		c.Fault, c.SlowStart = simulator.FaultSlowStart, s.hold
		return healthy, e.start(ctx, c)
	default:
		return nil, fmt.Errorf("editor: no way to do %q", s.kind)
	}
}

// send sends a signal to a server's processes.
func send(p *simulator.Process, signal syscall.Signal) error {
	for _, pid := range p.PIDs() {
		if err := syscall.Kill(pid, signal); err != nil {
			return fmt.Errorf("send %v to the server: %w", signal, err)
		}
	}
	return nil
}
