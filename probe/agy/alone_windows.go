package agy

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// alone gives a program no console; else one would flash up. It is killed alone: what it
// has started goes on.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
}
