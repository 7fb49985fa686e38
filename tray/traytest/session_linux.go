package traytest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// session is a directory with a home in it, an environment that points there, and its
// processes.
type session struct {
	dir     string
	environ []string
	starter *starter

	mu        sync.Mutex // guards what follows
	processes []*Process
}

// newSession makes the directories. The session ends with the test.
func newSession(tb testing.TB) *session {
	tb.Helper()
	dir, err := os.MkdirTemp("", "traytest-") //nolint:usetesting // a socket's path has 108 bytes, and TempDir takes many
	if err != nil {
		tb.Fatal(err)
	}
	s := &session{dir: dir, starter: newStarter(), environ: inherited(os.Environ())}
	s.setenv("LANG", "C.UTF-8")
	for name, sub := range map[string]string{
		"HOME":            "home",
		"XDG_CONFIG_HOME": "home/.config",
		"XDG_CACHE_HOME":  "home/.cache",
		"XDG_DATA_HOME":   "home/.local/share",
		"XDG_STATE_HOME":  "home/.local/state",
		"XDG_RUNTIME_DIR": "run",
		"TMPDIR":          "tmp",
	} {
		path := filepath.Join(dir, sub)
		if err := os.MkdirAll(path, 0o700); err != nil {
			tb.Fatal(err)
		}
		s.setenv(name, path)
	}
	if err := os.Mkdir(s.logs(), 0o700); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.end(tb) })
	return s
}

// inherited is an environment without the variables of a desktop or a session.
func inherited(environ []string) []string {
	foreign := []string{
		"DBUS_", "DESKTOP_", "DISPLAY=", "GDK_", "GIO_", "GNOME_", "GSETTINGS_", "GTK_", "KDE_",
		"LANG=", "LANGUAGE=", "LC_", "NO_AT_BRIDGE=", "QT_", "SESSION_", "WAYLAND_", "WINDOWID=", "XAUTHORITY=", "XDG_",
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
}

func (s *session) setenv(name, value string) {
	s.environ = slices.DeleteFunc(s.environ, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	s.environ = append(s.environ, name+"="+value)
}

func (s *session) logs() string { return filepath.Join(s.dir, "logs") }

// daemon starts one of the session's own processes.
func (s *session) daemon(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	cmd.Env = s.environ
	return s.run(tb, cmd)
}

// run starts a process that ends with the session.
func (s *session) run(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	death := syscall.SIGKILL
	if filepath.Base(cmd.Path) == "Xvfb" {
		death = syscall.SIGTERM // so that it removes its socket
	}
	p, err := s.starter.start(cmd, s.logs(), death)
	if err != nil {
		tb.Fatalf("start %s: %v", filepath.Base(cmd.Path), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processes = append(s.processes, p)
	return p
}

// command is a command that the session ends. The test's context would kill it before
// the clean-up could end it in order.
func command(tb testing.TB, name string, args ...string) *exec.Cmd {
	tb.Helper()
	return exec.CommandContext(context.WithoutCancel(tb.Context()), name, args...)
}

// end ends the running processes, the last started first, and removes the directory.
// For a failed test it logs their output.
func (s *session) end(tb testing.TB) {
	tb.Helper()
	for _, p := range slices.Backward(s.processes) {
		if filepath.Base(p.cmd.Path) == "Xvfb" {
			p.Stop()
		} else {
			p.kill()
		}
	}
	s.starter.close()
	if tb.Failed() {
		tb.Log(s.output())
	}
	if err := os.RemoveAll(s.dir); err != nil {
		tb.Error(err)
	}
}

// output is the output of the session's processes.
func (s *session) output() string {
	var text strings.Builder
	for _, p := range s.processes {
		if output := strings.TrimSpace(p.Output()); output != "" {
			fmt.Fprintf(&text, "%s (%d) wrote:\n%s\n", p.name, p.PID(), output)
		}
	}
	return text.String()
}
