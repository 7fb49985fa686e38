//go:build !windows

package agy

import (
	"os/exec"
	"syscall"
)

// alone gives a program a session of its own: it has no terminal to ask a person on,
// and is killed with all that it has started.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
