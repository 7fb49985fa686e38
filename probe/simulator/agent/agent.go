// Package agent is a program that answers prompts for another one by the Agent Client
// Protocol, for tests and demonstrations: Devin's, as Devin Desktop ships it, or
// Cursor's command line.
//
// It is written from PROTOCOL.md 11 and not from Windsock's client, so that it does not
// repeat a misunderstanding of the client. Its answers, figures and names are made up.
//
// What it does wrong is told by a file beside it, NAME.json, since a client passes on
// few variables. Beside it are also its journal (see [Runs]) and Devin's conversations
// (see [Sessions]). It ends by itself after two minutes at most with nobody to hear it,
// whatever its faults are.
package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The names of the programs, without .exe.
const (
	Devin  = "devin"
	Cursor = "cursor-agent"
)

// Behaviour is how an agent behaves. The zero value does all that the protocol asks for.
type Behaviour struct {
	Faults []Fault `json:"faults,omitempty"`
	// Turn is the course of a turn (see turns) whose prompt names none by the word
	// "turn:NAME"; empty is "plain".
	Turn string `json:"turn,omitempty"`
	// Tick is the time between two updates of a turn; zero is 40 ms.
	Tick time.Duration `json:"tick,omitempty"`
}

// Fault is something that an agent does wrong, or a state that it is in.
type Fault string

// The faults. What goes wrong in a single turn is a course of that.
const (
	SignedOut       Fault = "signed_out"       // Devin tells it at the prompt, Cursor at session/new
	NewProtocol     Fault = "new_protocol"     // speaks another version
	HangsInitialize Fault = "hangs_initialize" // does not answer initialize
	HangsSession    Fault = "hangs_session"    // does not answer session/new
	Noise           Fault = "noise"            // writes lines that are no messages
	Escapes         Fault = "escapes"          // writes escapes before messages, on their lines
	StringIDs       Fault = "string_ids"       // repeats ids as strings
	EarlyOptions    Fault = "early_options"    // tells a session's options only in an update before its response
	Daring          Fault = "daring"           // has no mode but those in which it acts
	KeepsSessions   Fault = "keeps_sessions"   // fails to delete a session
	StopsReading    Fault = "stops_reading"    // reads nothing more once a session has its mode
	Deaf            Fault = "deaf"             // ends neither with its input nor when it is told to
	LeavesChild     Fault = "leaves_child"     // starts a deaf program in its own group
	LeavesStray     Fault = "leaves_stray"     // starts one that leaves the group, where the system has that
)

var faults = []Fault{
	SignedOut, NewProtocol, HangsInitialize, HangsSession, Noise, Escapes, StringIDs, EarlyOptions, Daring, KeepsSessions, StopsReading,
	Deaf, LeavesChild, LeavesStray,
}

func (b Behaviour) validate() error {
	for _, f := range b.Faults {
		if !slices.Contains(faults, f) {
			return fmt.Errorf("unknown fault of an agent %q", f)
		}
	}
	if b.Turn != "" && turnNamed(b.Turn) == nil {
		return fmt.Errorf("unknown turn of an agent %q, want one of %s", b.Turn, turnNames())
	}
	return nil
}

// Behave makes the agent at a path behave so from its next start on.
func Behave(binary string, b Behaviour) error {
	if err := b.validate(); err != nil {
		return err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(fileOf(binary, ".json"), text, 0o600)
}

// Is reports whether a program of that name, without .exe, is an agent.
func Is(name string) bool { return name == Devin || name == Cursor }

const (
	exitFailed = 1
	exitUsage  = 2
	// lingerTime is for how long a program with nobody to hear it stays.
	lingerTime = 2 * time.Minute
	// lingerArg makes the program the one that LeavesChild leaves behind.
	lingerArg = "linger"
)

// Main is an agent, with a command line without the program itself. It returns the exit
// code.
func Main(args []string) int {
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	p := program{binary: binary, maker: makerOf(strings.TrimSuffix(filepath.Base(binary), ".exe"))}
	if p.behaviour, err = readBehaviour(binary); err != nil {
		return fail(err)
	}
	if err := p.note(entry{Args: append([]string{}, args...)}); err != nil {
		return fail(err)
	}
	if len(args) > 1 && args[0] == "--config" {
		if p.deny, err = readDeny(args[1]); err != nil {
			return fail(err)
		}
		args = args[2:]
	}
	switch line := strings.Join(args, " "); {
	case line == "acp":
		return p.serve(os.Stdin, os.Stdout)
	case line == "--version":
		_, _ = fmt.Fprintln(os.Stdout, p.maker.version)
	case line == "auth status" && p.maker.name == Devin:
		if p.has(SignedOut) {
			_, _ = fmt.Fprintln(os.Stdout, "Not logged in")
			return exitFailed
		}
		_, _ = fmt.Fprintln(os.Stdout, "Logged in (simulated)")
	case line == lingerArg:
		deafen()
		time.Sleep(lingerTime)
	default:
		_, _ = io.WriteString(os.Stderr, "the simulated agent does not know these arguments\n")
		return exitUsage
	}
	return 0
}

func fail(err error) int {
	_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
	return exitFailed
}

// program is this process.
type program struct {
	binary    string
	maker     maker
	behaviour Behaviour
	deny      []string // rules of the file that --config names
}

func (p *program) has(f Fault) bool { return slices.Contains(p.behaviour.Faults, f) }

func readBehaviour(binary string) (b Behaviour, err error) {
	text, err := os.ReadFile(fileOf(binary, ".json"))
	if errors.Is(err, os.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	return b, err
}

// readDeny reads the rules of a settings file, which Devin and Cursor have in the same
// place (PROTOCOL.md 11.6).
func readDeny(path string) ([]string, error) {
	text, err := os.ReadFile(path) //nolint:gosec // a simulated program does what its command line says
	if err != nil {
		return nil, err
	}
	var settings struct {
		Permissions struct {
			Deny []string `json:"deny"`
		} `json:"permissions"`
	}
	err = json.Unmarshal(text, &settings)
	return settings.Permissions.Deny, err
}

// fileOf is the path of a file beside an agent.
func fileOf(binary, ext string) string {
	return strings.TrimSuffix(binary, ".exe") + ext
}
