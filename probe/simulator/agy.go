package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"windsock/probe/simulator/account"
)

const agyVersion = "1.4.0"

// An Agy is how Antigravity's command line, agy, behaves where Start did not start it:
//
//   - agy -p /usage prints the account's quotas, with --output-format json as JSON.
//   - agy without arguments runs the command of the status line once, as its terminal
//     UI does after each change, prints what that printed, and ends with its exit code.
//     The command is a child beside a server that answers.
//
// Any other prompt would cost quota: agy refuses it.
type Agy struct {
	Scenario string         `json:"scenario,omitempty"`
	Account  account.Person `json:"account,omitempty"`
	At       time.Time      `json:"at,omitzero"` // its clock stands still; zero is now

	// Notice is printed before the quotas, like that of an update.
	Notice string `json:"notice,omitempty"`
	// Failure is printed in their place, to standard error, and agy ends with exit code 1.
	Failure string `json:"failure,omitempty"`
	// Delay is the time until agy prints them.
	Delay time.Duration `json:"delay,omitempty"`
	// Endless makes agy print JSON until nobody reads it.
	Endless bool `json:"endless,omitempty"`
}

// InstallAgy puts agy and its behaviour into a directory and returns its path. exe is
// as in Options. A second call changes the behaviour.
func InstallAgy(exe, dir string, behaviour Agy) (string, error) {
	binary := filepath.Join(dir, antigravityInstalled(AntigravityCLI).binary)
	if err := place(exe, binary); err != nil {
		return "", fmt.Errorf("install agy: %w", err)
	}
	text, err := json.Marshal(behaviour)
	if err != nil {
		return "", fmt.Errorf("install agy: %w", err)
	}
	if err := os.WriteFile(agyFile(binary, ".json"), text, 0o600); err != nil {
		return "", fmt.Errorf("install agy: %w", err)
	}
	return binary, nil
}

// AgyRuns are the arguments of each run of the agy at a path so far, but for those that
// Start started.
func AgyRuns(binary string) ([][]string, error) {
	text, err := os.ReadFile(agyFile(binary, ".runs"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var runs [][]string
	for line := range bytes.Lines(text) {
		var args []string
		err = errors.Join(err, json.Unmarshal(line, &args))
		runs = append(runs, args)
	}
	return runs, err
}

// agyFile is the path of a file beside agy.
func agyFile(binary, ext string) string {
	return filepath.Join(filepath.Dir(binary), "agy"+ext)
}

// runAgy is agy. It returns its exit code.
func runAgy(args []string) int {
	code, err := agy(args)
	if err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		return max(code, 1)
	}
	return code
}

func agy(args []string) (int, error) {
	binary, err := os.Executable()
	if err != nil {
		return 0, err
	}
	if err := noteRun(binary, args); err != nil {
		return 0, err
	}
	var a Agy
	if text, err := os.ReadFile(agyFile(binary, ".json")); err == nil {
		if err := json.Unmarshal(text, &a); err != nil {
			return 0, err
		}
	}
	cfg := Config{Antigravity: AntigravityCLI, Scenario: a.Scenario, Account: a.Account, At: a.At}.withDefaults()
	tells, err := cfg.situation(cfg.Scenario)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return runStatusLine(cfg, tells.antigravity)
	}
	return 0, a.print(args, tells.antigravity, account.Clock{Start: cfg.Now(), Now: cfg.Now()})
}

// noteRun adds a line to the list of runs.
func noteRun(binary string, args []string) error {
	text, err := json.Marshal(slices.Concat([]string{}, args))
	if err != nil {
		return err
	}
	list, err := os.OpenFile(agyFile(binary, ".runs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = list.Write(append(text, '\n'))
	return errors.Join(err, list.Close())
}

// print answers a prompt in print mode.
func (a Agy) print(args []string, quotas account.Antigravity, c account.Clock) error {
	at := slices.IndexFunc(args, func(arg string) bool { return arg == "-p" || arg == "--print" })
	if at < 0 || at+1 == len(args) || args[at+1] != "/usage" || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--model") }) {
		return fmt.Errorf("the simulated agy would have to spend quota on %q", args)
	}
	time.Sleep(a.Delay)
	switch {
	case a.Failure != "":
		return errors.New(a.Failure)
	case !quotas.SignedIn():
		return errors.New("Authentication required. Please run agy to sign in.") //nolint:revive,staticcheck // a program's text
	case a.Endless:
		for chunk := []byte(`{"response": "` + strings.Repeat("a", 1<<12)); write(os.Stdout, chunk); {
			chunk = bytes.Repeat([]byte("a"), 1<<16)
		}
		return nil
	case a.Notice != "":
		_, _ = io.WriteString(os.Stdout, a.Notice+"\n")
	}
	if format := flagValue(args, "output-format"); format != "json" {
		_, err := io.WriteString(os.Stdout, agyUsageText(quotas, c))
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(agyUsage(quotas, c))
}

// agyUsageText is the same as text.
func agyUsageText(a account.Antigravity, c account.Clock) string {
	var text strings.Builder
	for _, quota := range a.Quotas(c) {
		for _, b := range quota.Buckets {
			fmt.Fprintf(&text, "%s\t%s\t%.0f%%\t%s\n", quota.Name, b.Name, 100*b.Left, stamp(b.Reset))
		}
	}
	return text.String()
}

// statusLineTime is the limit of the status line's command.
const statusLineTime = 10 * time.Second

// runStatusLine runs the command of the status line, if the settings have one, and
// returns its exit code.
func runStatusLine(cfg Config, quotas account.Antigravity) (int, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(home, ".gemini", "antigravity-cli", "settings.json"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	var settings struct {
		StatusLine struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Enabled *bool  `json:"enabled"`
		} `json:"statusLine"` //nolint:tagliatelle // as agy spells it
	}
	if err := errors.Join(err, json.Unmarshal(text, &settings)); err != nil {
		return 0, fmt.Errorf("read settings: %w", err)
	}
	line := settings.StatusLine
	if line.Type != "command" || line.Enabled != nil && !*line.Enabled {
		return 0, nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	payload, err := json.Marshal(statusLine(quotas, account.Clock{Start: cfg.Now(), Now: cfg.Now()}, cfg.Account, cwd))
	if err != nil {
		return 0, err
	}
	server, err := New(cfg)
	if err != nil {
		return 0, err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background()) }()

	ctx, cancel := context.WithTimeout(context.Background(), statusLineTime)
	defer cancel()
	cmd := shell(ctx, line.Command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "ANTIGRAVITY_CSRF_TOKEN="+server.Token(), "ANTIGRAVITY_LS_VERSION="+agyVersion,
		fmt.Sprintf("ANTIGRAVITY_LS_ADDRESS=localhost:%d", server.HTTPPort()))
	err = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code > 0 {
		return code, nil
	}
	return 0, errors.Join(err, server.Close(), <-served)
}

// shell is a command line of the system's shell.
func shell(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/c", command)
	}
	return exec.CommandContext(ctx, "sh", "-c", command)
}
