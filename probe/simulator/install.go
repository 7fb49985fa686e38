package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"windsock/probe/files"
	"windsock/probe/simulator/agent"
)

// install puts the program into the app tree under a language server's name and returns
// its path.
func install(o Options) (string, error) {
	binary := filepath.Join(o.Root, o.program())
	if err := place(o.Exe, binary); err != nil {
		return "", fmt.Errorf("lay out app: %w", err)
	}
	if o.Agent != nil {
		path := AgentPath(binary)
		if err := errors.Join(place(o.Exe, path), agent.Behave(path, *o.Agent)); err != nil {
			return "", fmt.Errorf("lay out agent: %w", err)
		}
	}
	return binary, nil
}

// AgentPath is where an editor has its agent, told from the path of its language server
// (PROTOCOL.md 11.6).
func AgentPath(languageServer string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(languageServer)), "devin", "bin", agent.Devin+filepath.Ext(languageServer))
}

// InstallAgent puts an agent, agent.Devin or agent.Cursor, and its behaviour into a
// directory and returns its path. exe is as in Options.
func InstallAgent(exe, dir, name string, b agent.Behaviour) (string, error) {
	binary := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if err := errors.Join(place(exe, binary), agent.Behave(binary, b)); err != nil {
		return "", fmt.Errorf("install agent: %w", err)
	}
	return binary, nil
}

// place puts a program, or the running one, at another path. A hard link costs nothing
// and can be started at once. It copies the program across file systems, and on Windows,
// where no link to a running program can be removed: that may be the program that lays
// out the tree.
func place(exe, binary string) error {
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return fmt.Errorf("find own program: %w", err)
		}
	}
	// A link to a symbolic link would be a symbolic link, too.
	exe, err := filepath.EvalSymlinks(exe)
	if err != nil {
		return fmt.Errorf("find program: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil { //nolint:gosec // another user may have to get there
		return err
	}
	if runtime.GOOS == "windows" {
		if _, err = os.Stat(binary); err == nil {
			err = os.ErrExist
		}
	} else {
		err = os.Link(exe, binary)
	}
	if errors.Is(err, os.ErrExist) { // from an earlier start
		return nil
	}
	if err != nil {
		err = copyProgram(exe, binary)
	}
	return err
}

// copyProgram makes the copy appear at once and complete: two starts may copy at the
// same time.
func copyProgram(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return files.Replace(to, program, 0o755)
}

// spawn starts the program and returns its output.
func (p *Process) spawn(ctx context.Context, binary string, o Options) (io.Reader, error) {
	const tries, pause = 50, 20 * time.Millisecond
	for try := 0; ; try++ {
		cmd := exec.CommandContext(ctx, binary, o.arguments(o.Config.Token)...)
		cmd.Env = o.environment(o.Config.Token)
		cmd.Dir = o.Root
		cmd.SysProcAttr = o.SysProcAttr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		err = cmd.Start()
		if err == nil {
			p.cmd, p.stdin, p.order = cmd, stdin, json.NewEncoder(stdin)
			return stdout, nil
		}
		// Another goroutine may be forking: the child holds the new copy open for
		// writing until it execs (https://go.dev/issue/22315).
		if !errors.Is(err, syscall.ETXTBSY) || try == tries {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
