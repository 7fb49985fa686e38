//go:build !windows

package agent

import (
	"os/exec"
	"os/signal"
	"syscall"
)

// deafen makes the process ignore requests to end, and the loss of its reader.
func deafen() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE) }

// leaveGroup lets a program leave the group of this one.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
