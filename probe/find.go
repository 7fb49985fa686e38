// Package probe finds a running Windsurf language server and opens an
// authenticated Session to it.
//
// It knows variants, the handshake and the Connect protocol; it knows nothing of
// credits, prompts or menus. Discovery goes, for each variant in turn: processes,
// CSRF token, listening ports, handshake, API key, Session. Each step is a method of
// server. Processes and sockets are package system's, what lies on the disk is package
// signin's, and package doctor tells how it went (Finder.Trace).
//
// The API key is read in place, held in memory, and sent to nothing but a
// listening socket that belongs to the same user's language server: every
// connection is checked for its owner after the dial and before a byte is
// sent. Nothing in this package talks to anything but loopback.
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
	// viaSudo says that a user runs Windsock with root's rights, and so does not see
	// their own servers.
	viaSudo bool
}

// Option changes where a Finder looks.
type Option func(*Finder)

// WithDirs lets the Finder look for sign-ins there, and not in the user's own
// directories.
func WithDirs(dirs signin.Dirs) Option {
	return func(f *Finder) { f.dirs = dirs }
}

// WithSystem lets the Finder ask another system than the one that this is.
func WithSystem(s system.System) Option {
	return func(f *Finder) { f.system = s }
}

// WithProcesses limits the Finder to the processes for which only is true: the
// demo and the tests see their own servers, and not the user's editor. Without
// it a Finder sees every server but simulated ones.
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

// sudoVariables are what sudo, doas and pkexec set to tell who has become root.
var sudoVariables = []string{"SUDO_USER", "DOAS_USER", "PKEXEC_UID"}

// viaSudo reports whether a user has become root. Whoever is root otherwise, as in a
// container, may well run the editor.
func viaSudo(uid int, getenv func(string) string) bool {
	return uid == 0 && slices.ContainsFunc(sudoVariables, func(name string) bool { return getenv(name) != "" })
}

const (
	// answerTimeout bounds UserStatus with all that it tries: however many
	// servers there are, a person waits no longer.
	answerTimeout = 12 * time.Second
	// startupWait is how long a server that has just started is waited for.
	startupWait = 5 * time.Second
	firstDelay  = 250 * time.Millisecond
)

// UserStatus finds a server, asks it for GetUserStatus and returns the Session
// beside the answer, within 12 seconds. After a server that gives none, for example
// because it is not signed in, the next one is asked. The error is a
// *Failure.
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

// Servers opens a Session to every server of the first variant of the list that
// has one that answers, the newest first: each window of the editor has its own.
// It fails where another server of that variant cannot be asked, since only that one
// knows what it runs; a process without a port is no server (but the parent of one,
// PROTOCOL.md 4.2). The error is a *Failure. The Sessions are the caller's to close.
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

// NotRunning is the failure of a variant of the list without a server. Where it is the one
// that was asked for, it is the server that failed.
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

// outcome is how it went with all servers; zero where one answers.
type outcome struct {
	failure  *Failure // of the server that came furthest
	starting bool     // one of those that failed is so young that it may yet answer
}

// add adds the failure of one server. One in another network namespace stays there,
// however young it is.
func (o *outcome) add(s *server, failure *Failure) {
	o.failure = further(o.failure, failure)
	o.starting = o.starting || s.process.Starting && !errors.Is(failure, system.ErrNamespace)
}

// retry looks until there is no failure. A server that is starting up is asked
// again for a while, and where a restart explains the failure, all are looked at
// once more.
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

// findOnce looks at every server once, and returns the answer and the Session of the
// first that gives one.
func (f *Finder) findOnce(ctx context.Context, list []Variant) (raw []byte, _ *Session, o outcome) {
	all, missing := f.servers(ctx, list)
	o.failure = missing
	for _, s := range all {
		session, failure := s.open(ctx, nil)
		if failure == nil {
			if raw, failure = session.answer(ctx); failure == nil {
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
		var silent *Failure
		for _, s := range all {
			if s.variant.ID != v.ID {
				continue
			}
			session, failure := s.open(ctx, nil)
			if failure == nil {
				sessions = append(sessions, session)
				continue
			}
			o.add(s, failure)
			if !errors.Is(failure, ErrNoListener) {
				silent = further(silent, failure)
			}
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

// servers are those that may be the variants', as serversAmong has it. The failure is
// that of a variant without a server, or why processes cannot be listed.
func (f *Finder) servers(ctx context.Context, list []Variant) ([]*server, *Failure) {
	all, failure := f.processes(ctx, list)
	if failure != nil {
		return nil, failure
	}
	return f.serversAmong(all, list)
}

// serversAmong are the servers of the variants among processes, in the order of the
// list, then of the processes. The failure is that of the first variant without one.
func (f *Finder) serversAmong(all []system.Process, list []Variant) (found []*server, missing *Failure) {
	for _, v := range list {
		before := len(found)
		for _, p := range all {
			if v.owns(p) {
				found = append(found, &server{
					finder: f, variant: v, process: p,
					id: Server{Variant: v.ID, App: v.appName(p.Path), PID: p.PID},
				})
			}
		}
		if len(found) == before {
			missing = further(missing, f.NotRunning(v, list))
		}
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
