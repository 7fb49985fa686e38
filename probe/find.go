// Package probe finds running language servers, of Windsurf and of Antigravity, and
// opens an authenticated Session to one.
//
// It knows variants, the handshake and the Connect protocol; it knows nothing of
// credits, prompts or menus. For each variant, discovery takes these steps: processes,
// CSRF token, listening ports, handshake, API key (Windsurf's alone), Session. Each step
// is a method of server. Package system reads processes and sockets, package signin reads
// the disk, and package doctor reports the steps (Finder.Trace).
//
// The API key is read in place, held in memory, and sent only to a listening socket of
// the same user's language server: the owner of every connection is checked after the
// dial and before the first byte. This package dials loopback only.
//
// A Finder and a Session may be used from several goroutines at once.
//
// The facts of the protocol and their sources are in
// languageserver/PROTOCOL.md; comments cite its sections.
package probe

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"windsock/probe/signin"
	"windsock/probe/system"
)

// Finder looks for running language servers.
type Finder struct {
	dirs   signin.Dirs
	only   func(pid int) bool // nil for all but simulated servers
	system system.System
	// viaSudo says that a user runs Windsock as root, and so does not see their own
	// servers.
	viaSudo bool
}

// Option changes where a Finder looks.
type Option func(*Finder)

// WithDirs makes the Finder look for sign-ins in dirs instead of the user's own
// directories.
func WithDirs(dirs signin.Dirs) Option {
	return func(f *Finder) { f.dirs = dirs }
}

// WithSystem makes the Finder ask s instead of this operating system.
func WithSystem(s system.System) Option {
	return func(f *Finder) { f.system = s }
}

// WithProcesses limits the Finder to the processes for which only returns true: the
// demo and the tests see their own servers and not the user's editor. By default a
// Finder sees every server except simulated ones.
func WithProcesses(only func(pid int) bool) Option {
	return func(f *Finder) { f.only = only }
}

// NewFinder returns a Finder for the current user's servers and sign-ins.
func NewFinder(options ...Option) *Finder {
	f := &Finder{
		dirs:    signin.UserDirs(),
		system:  system.New(),
		viaSudo: viaSudo(os.Geteuid(), os.Getenv),
	}
	for _, option := range options {
		option(f)
	}
	return f
}

// sudoVariables are set by sudo, doas and pkexec to the user who became root.
var sudoVariables = []string{"SUDO_USER", "DOAS_USER", "PKEXEC_UID"}

// viaSudo reports whether a user became root. Root without these variables, as in a
// container, may well run the editor.
func viaSudo(uid int, getenv func(string) string) bool {
	return uid == 0 && slices.ContainsFunc(sudoVariables, func(name string) bool { return getenv(name) != "" })
}

const (
	// answerTimeout bounds Answers and UserStatus with all its attempts, for any number of servers.
	answerTimeout = 12 * time.Second
	// startupWait is how long to wait for a server that has just started.
	startupWait = 5 * time.Second
	firstDelay  = 250 * time.Millisecond
)

// UserStatus finds a server, calls GetUserStatus and returns the response and the
// Session, within 12 seconds. If a server fails, for example because it is not signed
// in, it asks the next one. The error is a *Failure.
func (f *Finder) UserStatus(ctx context.Context, list []Variant) (raw []byte, s *Session, _ error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if failure := f.retry(ctx, func() (o outcome) {
		raw, s, o = f.findOnce(ctx, list)
		return o
	}); failure != nil {
		return nil, nil, failure
	}
	return raw, s, nil
}

// Servers opens a Session to every server of one variant, the newest first: each window
// of the editor has its own server. The variant is the first of the list with a server
// that answers. Servers fails if another server of that variant cannot be asked: only
// that server knows what it runs. A process without a port is no server, but may be the
// parent of one (PROTOCOL.md 4.2). The error is a *Failure. The caller closes the
// Sessions.
func (f *Finder) Servers(ctx context.Context, list []Variant) (sessions []*Session, _ error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if failure := f.retry(ctx, func() (o outcome) {
		sessions, o = f.serversOnce(ctx, list)
		return o
	}); failure != nil {
		return nil, failure
	}
	return sessions, nil
}

// Windows opens a Session to every server of a variant that can be asked, the newest
// first. failed has a *Failure for each of the others, as Servers has one. The caller
// closes the Sessions.
func (f *Finder) Windows(ctx context.Context, v Variant) (sessions []*Session, failed []error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	failure := f.retry(ctx, func() (o outcome) {
		all, missing := f.servers(ctx, []Variant{v})
		o.failure = missing
		var silent []*Failure
		if sessions, silent = openAll(ctx, all, &o); len(sessions) == 0 {
			return o
		}
		for _, one := range silent {
			failed = append(failed, one)
		}
		return outcome{}
	})
	if failure != nil {
		return nil, []error{failure}
	}
	return sessions, failed
}

// Programs are the paths of the running servers of the list's variants, each once, the
// newest first; none if processes cannot be listed. Nothing is asked.
func (f *Finder) Programs(ctx context.Context, list []Variant) (paths []string) {
	found, _ := f.servers(ctx, list) // without any there are no paths
	for _, s := range found {
		if !slices.Contains(paths, s.process.Path) {
			paths = append(paths, s.process.Path)
		}
	}
	return paths
}

// NotRunning is the failure of a variant of the list without a server. If the list has
// no other variant, the failure names it as its server.
func (f *Finder) NotRunning(v Variant, list []Variant) *Failure {
	missing := &Failure{code: NotRunning, app: v.Name}
	if f.viaSudo {
		missing.says = v.Name + " is not running as root"
		missing.cure = "Windsock sees the editors of the user that it runs as: run it without sudo."
	}
	if len(list) == 1 {
		missing.server = Server{Variant: v.ID, App: v.Name}
	}
	return missing
}

// outcome is the result of looking at all servers; zero if one answers.
type outcome struct {
	failure  *Failure // of the server with the highest step
	starting bool     // one of the failed servers is young and may still answer
}

// add adds the failure of one server. A young server may still answer, unless it is in
// another network namespace.
func (o *outcome) add(s *server, failure *Failure) {
	o.failure = further(o.failure, failure)
	o.starting = o.starting || s.process.Starting && !errors.Is(failure, system.ErrNamespace)
}

// retry looks until there is no failure. It waits up to startupWait for a server that
// is starting up. It looks at all servers once more if a restart explains the failure.
func (f *Finder) retry(ctx context.Context, look func() outcome) *Failure {
	deadline := time.Now().Add(startupWait)
	delay := firstDelay
	var before *Failure
	for {
		o := look()
		switch {
		case o.failure == nil:
			return nil
		case o.failure.restart && before == nil:
			before = o.failure
		case o.failure.code == NoPort && o.starting && time.Now().Add(delay).Before(deadline):
			select {
			case <-ctx.Done():
				return o.failure.after(before)
			case <-time.After(delay):
			}
			delay *= 2
		default:
			return o.failure.after(before)
		}
	}
}

// findOnce looks at every server once, and returns the response and the Session of the
// first that answers.
func (f *Finder) findOnce(ctx context.Context, list []Variant) (raw []byte, _ *Session, o outcome) {
	all, missing := f.servers(ctx, list)
	return firstOf(ctx, all, missing)
}

// firstOf returns the response and the Session of the first server that answers.
// missing is the failure of a variant without a server.
func firstOf(ctx context.Context, all []*server, missing *Failure) (raw []byte, _ *Session, o outcome) {
	o.failure = missing
	for _, s := range all {
		session, failure := s.open(ctx, nil)
		if failure == nil {
			if raw, _, failure = session.answer(ctx); failure == nil {
				return raw, session, outcome{}
			}
			session.Close()
		}
		o.add(s, failure)
	}
	return nil, nil, o
}

// serversOnce looks at every server once, for Servers.
func (f *Finder) serversOnce(ctx context.Context, list []Variant) (sessions []*Session, o outcome) {
	all, missing := f.servers(ctx, list)
	o.failure = missing
	for _, v := range list {
		of := slices.DeleteFunc(slices.Clone(all), func(s *server) bool { return s.variant.ID != v.ID })
		var failed []*Failure
		sessions, failed = openAll(ctx, of, &o)
		var silent *Failure
		for _, failure := range failed {
			silent = further(silent, failure)
		}
		switch {
		case len(sessions) > 0 && silent != nil:
			for _, s := range sessions {
				s.Close()
			}
			return nil, outcome{silent, o.starting}
		case len(sessions) > 0:
			return sessions, outcome{}
		}
	}
	return nil, o
}

// openAll opens a Session to each of the servers that can be asked. silent are the
// failures of the others, but for processes without a port.
func openAll(ctx context.Context, all []*server, o *outcome) (sessions []*Session, silent []*Failure) {
	for _, s := range all {
		session, failure := s.open(ctx, nil)
		if failure == nil {
			sessions = append(sessions, session)
			continue
		}
		o.add(s, failure)
		if !errors.Is(failure, ErrNoListener) {
			silent = append(silent, failure)
		}
	}
	return sessions, silent
}

// servers returns the candidates of serversAmong. The failure is that of a variant
// without a server, or that processes cannot be listed.
func (f *Finder) servers(ctx context.Context, list []Variant) ([]*server, *Failure) {
	all, failure := f.processes(ctx, list)
	if failure != nil {
		return nil, failure
	}
	return f.serversAmong(all, list)
}

// serversAmong returns the servers of the variants among the processes, in the order of
// the list. The failure is that of the first variant without a server.
func (f *Finder) serversAmong(all []system.Process, list []Variant) (found []*server, missing *Failure) {
	for _, v := range list {
		of, none := f.serversOf(v, list, all)
		found, missing = append(found, of...), further(missing, none)
	}
	return found, missing
}

// serversOf returns the servers of one variant of the list among the processes, in
// their order; without one, the failure that says so.
func (f *Finder) serversOf(v Variant, list []Variant, all []system.Process) (found []*server, missing *Failure) {
	for _, p := range all {
		if !v.owns(p) {
			continue
		}
		if v.Product == Antigravity {
			p = p.WithFlagToken() // the environment may be Windsurf's
		}
		id := Server{Variant: v.ID, App: v.appName(p), PID: p.PID}
		found = append(found, &server{finder: f, variant: v, process: p, id: id})
	}
	if v.Product == Antigravity {
		preferFuller(found)
	}
	if len(found) == 0 {
		missing = f.NotRunning(v, list)
	}
	return found, missing
}

// processes are the language servers that the Finder looks at, the newest first.
func (f *Finder) processes(ctx context.Context, list []Variant) ([]system.Process, *Failure) {
	all, err := f.system.Processes(ctx)
	if ctx.Err() != nil {
		return nil, &Failure{code: Timeout, app: list[0].Name, finding: "looking for it took too long", cause: ctx.Err()}
	}
	if err != nil {
		cure := "Try again in a moment."
		if errors.Is(err, system.ErrUnsupported) {
			cure = "This version runs on Linux, macOS and Windows."
		}
		return nil, &Failure{
			code: NotRunning, app: list[0].Name, cause: err,
			says: "Windsock cannot look for a language server", finding: err.Error(), cure: cure,
		}
	}
	system.NewestFirst(all)
	return slices.DeleteFunc(all, func(p system.Process) bool { return !f.sees(p) }), nil
}

// sees reports whether the Finder looks at p at all.
func (f *Finder) sees(p system.Process) bool {
	if f.only == nil {
		return !p.Simulated
	}
	return f.only(p.PID)
}
