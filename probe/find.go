package probe

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
)

// Finder looks for running language servers.
type Finder struct {
	where  signin.Places
	only   func(pid int) bool // nil for all but simulated servers
	system system.System
	now    func() time.Time
	// lifted says that a user runs Windsock with root's rights, and so sees none of
	// their own servers.
	lifted bool
}

// Option changes where a Finder looks.
type Option func(*Finder)

// WithHome lets the Finder look for sign-ins below dir: in dir/.config and
// dir/.codeium instead of the user's own directories.
func WithHome(dir string) Option {
	return func(f *Finder) { f.where = signin.Below(dir) }
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
		where:  signin.NewPlaces(),
		system: system.New(),
		now:    time.Now,
		lifted: lifted(os.Geteuid(), os.Getenv),
	}
	for _, option := range options {
		option(f)
	}
	return f
}

// lifters are what sudo, doas and pkexec set to tell who has become root.
var lifters = []string{"SUDO_USER", "DOAS_USER", "PKEXEC_UID"}

// lifted reports whether a user has become root. Whoever is root otherwise, as in a
// container, may well run the editor.
func lifted(uid int, getenv func(string) string) bool {
	return uid == 0 && slices.ContainsFunc(lifters, func(name string) bool { return getenv(name) != "" })
}

// server is a language server that has answered the handshake.
type server struct {
	variant  Variant
	app      string
	process  system.Process
	endpoint endpoint
	keys     []secret.Secret
}

func (s server) identity() Server {
	return Server{Variant: s.variant.ID, App: s.app, PID: s.process.PID}
}

const (
	// answerTimeout bounds UserStatus with all that it tries: however many
	// servers there are, a person waits no longer.
	answerTimeout = 12 * time.Second
	// patience is how long a server that has just started is waited for.
	patience   = 5 * time.Second
	firstDelay = 250 * time.Millisecond
)

// UserStatus finds a server, asks it for GetUserStatus and returns the Session
// beside the answer, within 12 seconds. A server that does not give one, because
// nobody is signed in there for example, gives way to the next. The error is a
// *Failure.
func (f *Finder) UserStatus(ctx context.Context, list []Variant) ([]byte, *Session, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var raw []byte
	var s *Session
	failure := f.persist(ctx, func() (failure *Failure, starting bool) {
		s, failure, starting = f.findOnce(ctx, list, func(s *Session) (failure *Failure) {
			raw, failure = s.answer(ctx)
			return failure
		})
		return failure, starting
	})
	if failure != nil {
		return nil, nil, failure
	}
	return raw, s, nil
}

// persist looks until there is no failure. A server that is starting up is asked
// again for a while, and where a restart explains the failure, all are looked at
// once more.
func (f *Finder) persist(ctx context.Context, look func() (failure *Failure, starting bool)) *Failure {
	deadline := f.now().Add(patience)
	delay := firstDelay
	var before *Failure
	for {
		failure, starting := look()
		switch {
		case failure == nil:
			return nil
		case failure.restart && before == nil:
			before = failure
		case failure.code == NoPort && starting && f.now().Add(delay).Before(deadline):
			select {
			case <-ctx.Done():
				return failure.after(before)
			case <-time.After(delay):
			}
			delay *= 2
		default:
			return failure.after(before)
		}
	}
}

// findOnce looks at every server once and opens the first Session for which try
// returns nil. starting is set if one of those that failed is so young that it may
// yet answer.
func (f *Finder) findOnce(ctx context.Context, list []Variant, try func(*Session) *Failure) (_ *Session, _ *Failure, starting bool) {
	all, failure := f.processes(ctx, list)
	if failure != nil {
		return nil, failure, false
	}
	var worst *Failure
	for _, v := range list {
		candidates := f.candidates(v, all)
		for _, c := range candidates {
			s, failure := c.open(ctx)
			if failure == nil {
				failure = try(s)
				if failure == nil {
					return s, nil, false
				}
				s.Close()
			}
			starting = starting || c.mayYetAnswer(failure)
			worst = further(worst, failure)
		}
		if len(candidates) == 0 {
			worst = further(worst, f.notRunning(v, list))
		}
	}
	return nil, worst, starting
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

// notRunning is the failure of a variant without a server. Where it is the one
// that was asked for, it is the server that failed.
func (f *Finder) notRunning(v Variant, list []Variant) *Failure {
	missing := &Failure{code: NotRunning, app: v.Name}
	if f.lifted {
		missing.says = v.Name + " is not running as root"
		missing.cure = "Windsock sees the editors of the user that it runs as: run it without sudo."
	}
	if len(list) == 1 {
		missing.server = Server{Variant: v.ID, App: v.Name}
	}
	return missing
}
