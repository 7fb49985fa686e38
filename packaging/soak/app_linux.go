package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// app is a running Windsock, in a home of its own.
type app struct {
	name    string
	program string
	args    []string
	// dir has home, run and tmp in it; env is the environment of a session there.
	dir string
	env []string

	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	out  bytes.Buffer  // what it has printed, to be read after its end
	asks int           // how often it was asked for its gauges
}

// environment is that of a session in a directory, without a bus.
func environment(dir string) ([]string, error) {
	// With an address where nobody listens: without one, a bus would be started.
	env := []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + filepath.Join(dir, "none")}
	for name, sub := range map[string]string{
		"HOME": "home", "XDG_CONFIG_HOME": "home/.config", "XDG_STATE_HOME": "home/.local/state",
		"XDG_RUNTIME_DIR": "run", "TMPDIR": "tmp",
	} {
		path := filepath.Join(dir, sub)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("make home: %w", err)
		}
		env = append(env, name+"="+path)
	}
	return env, nil
}

func (a *app) editorDir() string { return filepath.Join(a.dir, "home", ".config", "Windsurf") }
func (a *app) settings() string {
	return filepath.Join(a.dir, "home", ".config", "windsock", "config.toml")
}
func (a *app) state() string  { return filepath.Join(a.dir, "home", ".local", "state", "windsock") }
func (a *app) gauges() string { return filepath.Join(a.dir, "gauges") }

// start starts it. It ends with the thread that calls this, however that ends.
func (a *app) start(ctx context.Context) error {
	a.cmd = exec.CommandContext(context.WithoutCancel(ctx), a.program, a.args...)
	a.cmd.Env = append(a.env, "WINDSOCK_SOAK_GAUGES="+a.gauges()) //nolint:gocritic // one more for this one
	a.cmd.Stdout, a.cmd.Stderr = &a.out, &a.out
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := a.cmd.Start(); err != nil {
		return fmt.Errorf("start windsock: %w", err)
	}
	a.done = make(chan struct{})
	go func() { // ends with the process
		_ = a.cmd.Wait()
		close(a.done)
	}()
	return nil
}

// end sends a signal, and returns the exit code: -1 after a signal that was not
// caught.
func (a *app) end(signal syscall.Signal) (int, error) {
	_ = a.cmd.Process.Signal(signal) // it may have ended
	select {
	case <-a.done:
		return a.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		_ = a.cmd.Process.Kill()
		<-a.done
		return -1, errors.New("it had to be killed")
	}
}

// run runs another command of the program in the same home.
func (a *app) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, a.program, args...)
	cmd.Env = a.env
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("run windsock %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// log is what it has logged.
func (a *app) log() (string, error) {
	files, err := filepath.Glob(filepath.Join(a.state(), "windsock*.log"))
	if err != nil || len(files) == 0 {
		return "", errors.New("there is no log")
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read log: %w", err)
		}
		all.Write(text)
	}
	return all.String(), nil
}
