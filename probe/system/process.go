// Package system asks the operating system for the language servers of the current
// user: their processes and their listening sockets. Each system has its own
// implementation of the interface System.
//
// It knows the name, command line and environment of such a process, but not its
// responses. It dials nothing.
package system

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"runtime"
	"time"

	"windsock/probe/secret"
	"windsock/probe/sorted"
)

// Process is one running language server, read in one look: PID, token and start are
// from the same process, so that a restart in between cannot mix two servers
// (PROTOCOL.md 4.4).
type Process struct {
	PID     int
	Parent  int           // the PID of its parent process; 0 if unknown
	started uint64        // orders processes by age, in a unit of the system
	Path    string        // of the executable, or of the script that Node runs
	Age     time.Duration // at the time of the look; zero if unknown
	// Starting is set while the server is so young that it may not answer yet.
	Starting bool

	IDEName         string // --ide_name
	OverrideIDEName string // --override_ide_name, Antigravity's
	AppDataDir      string // --app_data_dir, Antigravity's
	Version         string // --windsurf_version, or --override_ide_version
	CodeiumDir      string // --codeium_dir, mostly below the home directory

	// Simulated is set for a server of the demo or of a test. Its figures are made up.
	Simulated bool

	Token     secret.Secret
	TokenFrom string // where the token was found; "" for nowhere
	TokenErr  error  // why the environment, which should hold the token, cannot be read

	flagToken secret.Secret // on the command line
}

// tokenVariable and tokenFlag are the two places of the CSRF token. The variable is the
// newer one (PROTOCOL.md 4.2).
const (
	tokenVariable = "WINDSURF_CSRF_TOKEN" //nolint:gosec // the name, not a token
	tokenFlag     = "csrf_token"
)

// simulatorVariable marks the servers that package simulator starts.
const simulatorVariable = "WINDSOCK_SIMULATOR"

// NewProcess reads a process's flags and token from its argv and environment.
// environErr says why the environment is missing.
func NewProcess(pid int, started uint64, path string, args, environ []string, environErr error) Process {
	onCommandLine := flagValue(args, tokenFlag)
	token, from := envValue(environ, tokenVariable), "environment"
	if token == "" {
		token, from = onCommandLine, "--"+tokenFlag
	}
	if token == "" {
		from = ""
	}
	return Process{
		PID: pid, started: started, Path: path,
		IDEName:         flagValue(args, "ide_name"),
		OverrideIDEName: flagValue(args, "override_ide_name"),
		AppDataDir:      flagValue(args, "app_data_dir"),
		Version:         cmp.Or(flagValue(args, "windsurf_version"), flagValue(args, "override_ide_version")),
		CodeiumDir:      flagValue(args, "codeium_dir"),
		Token:           secret.New(token),
		flagToken:       secret.New(onCommandLine),
		TokenFrom:       from,
		TokenErr:        environErr,
		Simulated:       envValue(environ, simulatorVariable) != "",
	}
}

// WithFlagToken is the process with the token of its command line, whatever its
// environment holds: it may have inherited that of another editor.
func (p Process) WithFlagToken() Process {
	p.Token, p.TokenFrom = p.flagToken, ""
	if !p.Token.Empty() {
		p.TokenFrom = "--" + tokenFlag
	}
	if !errors.Is(p.TokenErr, ErrElevated) && !errors.Is(p.TokenErr, ErrBitness) {
		p.TokenErr = nil // the others hide the environment alone
	}
	return p
}

// startingTime is how long a server counts as starting up.
const startingTime = 20 * time.Second

// withAge is the process with its age, for systems that report it.
func (p Process) withAge(age time.Duration) Process {
	p.Age, p.Starting = age, age < startingTime
	return p
}

// NewestFirst orders processes by their start, the newest first: an older one may have
// outlived its editor (PROTOCOL.md 4.4).
func NewestFirst(all []Process) {
	sorted.By(all, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.started, a.started), cmp.Compare(b.PID, a.PID))
	})
}

// ErrNamespace, ErrNotOwner and the others are errors for a process that the system
// listed before.
var (
	ErrNamespace = errors.New("it runs in another network namespace")
	ErrNotOwner  = errors.New("the port belongs to another process")
	errReplaced  = errors.New("the process is another one by now")
	errEnded     = errors.New("the process has ended")
)

// ErrUnsupported is the error of a system on which Windsock cannot discover servers.
var ErrUnsupported = errors.New("discovery on " + runtime.GOOS + " is not part of this version")

// UnreadableError is why a system hides the environment of a process, which should hold
// the token. Restarting the editor would not help.
type UnreadableError struct {
	finding string // a clause about the process
	Cure    string // a sentence; %s is the app
}

func (e *UnreadableError) Error() string { return e.finding }

var (
	// ErrHardened is for a process that macOS calls restricted, by its code signature.
	ErrHardened = &UnreadableError{
		"macOS hides the environment of a hardened program",
		"Windsock cannot read this version of %s; please report it.",
	}
	// ErrElevated is for a process on the same Windows desktop that cannot be opened:
	// it has more rights than Windsock.
	ErrElevated = &UnreadableError{
		"Windows does not let Windsock read a program that runs as administrator",
		"Start %s without administrator rights and try again.",
	}
	// ErrBitness is for a 32-bit process on 64-bit Windows, which has another memory
	// layout.
	ErrBitness = &UnreadableError{
		"it is a 32-bit program, which Windsock cannot read",
		"Install the 64-bit version of %s and try again.",
	}
)

// System is the part of the operating system that discovery needs.
type System interface {
	// Processes returns the language servers of the current user, in any order.
	Processes(ctx context.Context) ([]Process, error)
	// Listeners returns the addresses of p that can be dialled from here. ErrNamespace
	// says that p is out of reach.
	Listeners(ctx context.Context, p Process) ([]netip.AddrPort, error)
	// Verify returns nil if p accepts the connections to addr at this moment and is
	// still the same process.
	Verify(ctx context.Context, p Process, addr netip.AddrPort) error
}
