package process

import (
	"os/exec"
	"syscall"
)

// alone gives a program a session of its own, so that it has no terminal and its whole
// group can be ended, and lets the system end it with Windsock.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
