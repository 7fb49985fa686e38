package probe

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"windsock/probe/secret"
)

// process is one running language server, as seen in one look: everything that
// belongs together (PID, token, start) was read together, so that a restart in
// between cannot mix two servers (PROTOCOL.md 4.4).
type process struct {
	pid     int
	parent  int           // the PID of the process that started it; 0 where that is not known
	started uint64        // orders processes by age; its unit is the system's own
	path    string        // of the executable
	age     time.Duration // at the look; zero where the system does not tell
	// starting is set while the server is so young that silence means little.
	starting bool

	ideName         string // --ide_name
	overrideIDEName string // --override_ide_name, Antigravity's
	appDataDir      string // --app_data_dir, Antigravity's
	version         string // --windsurf_version
	codeiumDir      string // --codeium_dir, mostly below the home directory

	// simulated is set for a server of the demo or of a test, whose figures are
	// made up.
	simulated bool

	token     secret.Secret
	tokenFrom string // where it was found; "" for nowhere
	tokenErr  error  // why the environment, where the token should be, cannot be read
}

// tokenVariable and tokenFlag are the two places of the CSRF token; the
// variable is the newer one (PROTOCOL.md 4.2).
const (
	tokenVariable = "WINDSURF_CSRF_TOKEN" //nolint:gosec // the name, not a token
	tokenFlag     = "csrf_token"
)

// simulatorVariable marks the servers that package simulator starts.
const simulatorVariable = "WINDSOCK_SIMULATOR"

// newProcess reads a process's flags and token from its argv and environment.
// environErr says why there is no environment.
func newProcess(pid int, started uint64, path string, args, environ []string, environErr error) process {
	token, from := envValue(environ, tokenVariable), "environment"
	if token == "" {
		token, from = flagValue(args, tokenFlag), "--"+tokenFlag
	}
	if token == "" {
		from = ""
	}
	return process{
		pid: pid, started: started, path: path,
		ideName:         flagValue(args, "ide_name"),
		overrideIDEName: flagValue(args, "override_ide_name"),
		appDataDir:      flagValue(args, "app_data_dir"),
		version:         flagValue(args, "windsurf_version"),
		codeiumDir:      flagValue(args, "codeium_dir"),
		token:           secret.New(token),
		tokenFrom:       from,
		tokenErr:        environErr,
		simulated:       envValue(environ, simulatorVariable) != "",
	}
}

// startingTime is how long a server counts as starting up.
const startingTime = 20 * time.Second

// aged is the process where the system tells how old it is.
func (p process) aged(age time.Duration) process {
	p.age, p.starting = age, age < startingTime
	return p
}

// newestFirst orders processes by their start, the newest first: an older one
// may have outlived its editor (PROTOCOL.md 4.4).
func newestFirst(all []process) {
	slices.SortFunc(all, func(a, b process) int {
		return cmp.Or(cmp.Compare(b.started, a.started), cmp.Compare(b.pid, a.pid))
	})
}

// What a system may say of a process that it has listed before.
var (
	errNamespace  = errors.New("it runs in another network namespace")
	errNoListener = errors.New("it does not listen")
	errNotOwner   = errors.New("the port belongs to another process")
	errReplaced   = errors.New("the process is another one by now")
	errEnded      = errors.New("the process has ended")
)

// errUnsupported is what a system says that Windsock cannot look at.
var errUnsupported = errors.New("discovery on " + runtime.GOOS + " is not part of this version")

// system is what discovery asks the operating system.
type system interface {
	// processes returns the language servers of the current user, in any order.
	processes(ctx context.Context) ([]process, error)
	// listeners returns where p listens, as addresses that can be dialled from
	// here. errNamespace says that p is out of reach.
	listeners(ctx context.Context, p process) ([]netip.AddrPort, error)
	// verify returns nil if whatever now accepts connections at addr belongs to
	// p, and p is still the process that was looked at.
	verify(ctx context.Context, p process, addr netip.AddrPort) error
}
