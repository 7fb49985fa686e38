// Package system asks the operating system for the language servers of the current
// user: their processes, and the sockets that they listen at. Each system has its
// own way, behind the interface System.
//
// It knows what such a process is called and what its command line and environment
// tell, and nothing of what it answers. It dials nothing.
package system

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

// Process is one running language server, as seen in one look: everything that
// belongs together (PID, token, start) was read together, so that a restart in
// between cannot mix two servers (PROTOCOL.md 4.4).
type Process struct {
	PID     int
	Parent  int           // the PID of the process that started it; 0 where that is not known
	started uint64        // orders processes by age; its unit is the system's own
	Path    string        // of the executable
	Age     time.Duration // at the look; zero where the system does not tell
	// Starting is set while the server is so young that silence means little.
	Starting bool

	IDEName         string // --ide_name
	OverrideIDEName string // --override_ide_name, Antigravity's
	AppDataDir      string // --app_data_dir, Antigravity's
	Version         string // --windsurf_version
	CodeiumDir      string // --codeium_dir, mostly below the home directory

	// Simulated is set for a server of the demo or of a test, whose figures are
	// made up.
	Simulated bool

	Token     secret.Secret
	TokenFrom string // where it was found; "" for nowhere
	TokenErr  error  // why the environment, where the token should be, cannot be read
}

// tokenVariable and tokenFlag are the two places of the CSRF token; the
// variable is the newer one (PROTOCOL.md 4.2).
const (
	tokenVariable = "WINDSURF_CSRF_TOKEN" //nolint:gosec // the name, not a token
	tokenFlag     = "csrf_token"
)

// simulatorVariable marks the servers that package simulator starts.
const simulatorVariable = "WINDSOCK_SIMULATOR"

// NewProcess reads a process's flags and token from its argv and environment.
// environErr says why there is no environment.
func NewProcess(pid int, started uint64, path string, args, environ []string, environErr error) Process {
	token, from := envValue(environ, tokenVariable), "environment"
	if token == "" {
		token, from = flagValue(args, tokenFlag), "--"+tokenFlag
	}
	if token == "" {
		from = ""
	}
	return Process{
		PID: pid, started: started, Path: path,
		IDEName:         flagValue(args, "ide_name"),
		OverrideIDEName: flagValue(args, "override_ide_name"),
		AppDataDir:      flagValue(args, "app_data_dir"),
		Version:         flagValue(args, "windsurf_version"),
		CodeiumDir:      flagValue(args, "codeium_dir"),
		Token:           secret.New(token),
		TokenFrom:       from,
		TokenErr:        environErr,
		Simulated:       envValue(environ, simulatorVariable) != "",
	}
}

// startingTime is how long a server counts as starting up.
const startingTime = 20 * time.Second

// withAge is the process where the system tells how old it is.
func (p Process) withAge(age time.Duration) Process {
	p.Age, p.Starting = age, age < startingTime
	return p
}

// NewestFirst orders processes by their start, the newest first: an older one
// may have outlived its editor (PROTOCOL.md 4.4).
func NewestFirst(all []Process) {
	slices.SortFunc(all, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.started, a.started), cmp.Compare(b.PID, a.PID))
	})
}

// ErrNamespace, ErrNotOwner and the others are what a system may say of a process that it
// has listed before.
var (
	ErrNamespace = errors.New("it runs in another network namespace")
	ErrNotOwner  = errors.New("the port belongs to another process")
	errReplaced  = errors.New("the process is another one by now")
	errEnded     = errors.New("the process has ended")
)

// ErrUnsupported is what a system says that Windsock cannot look at.
var ErrUnsupported = errors.New("discovery on " + runtime.GOOS + " is not part of this version")

// UnreadableError is why a system does not show the environment of a process, in
// which the token should be, where restarting the editor would not help.
type UnreadableError struct {
	finding string // a clause about the process
	Cure    string // a sentence; %s is the app
}

func (e *UnreadableError) Error() string { return e.finding }

var (
	// ErrHardened is for what macOS calls restricted, by its code signature.
	ErrHardened = &UnreadableError{
		"macOS hides the environment of a hardened program",
		"Windsock cannot read this version of %s; please report it.",
	}
	// ErrElevated is for a process of the same desktop on Windows that may not
	// be opened: it has more rights than Windsock.
	ErrElevated = &UnreadableError{
		"Windows does not let Windsock read a program that runs as administrator",
		"Start %s without administrator rights and try again.",
	}
	// ErrBitness is for a 32-bit process on 64-bit Windows, whose memory is laid
	// out in another way.
	ErrBitness = &UnreadableError{
		"it is a 32-bit program, which Windsock cannot read",
		"Install the 64-bit version of %s and try again.",
	}
)

// System is what discovery asks the operating system.
type System interface {
	// Processes returns the language servers of the current user, in any order.
	Processes(ctx context.Context) ([]Process, error)
	// Listeners returns where p listens, as addresses that can be dialled from
	// here. ErrNamespace says that p is out of reach.
	Listeners(ctx context.Context, p Process) ([]netip.AddrPort, error)
	// Verify returns nil if whatever now accepts connections at addr belongs to
	// p, and p is still the process that was looked at.
	Verify(ctx context.Context, p Process, addr netip.AddrPort) error
}
