//go:build unix

package system

import (
	"errors"
	"syscall"
)

// Runs reports whether a process exists.
func Runs(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
