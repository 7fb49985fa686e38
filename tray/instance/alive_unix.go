//go:build unix

package instance

import (
	"errors"
	"syscall"
)

// alive reports whether there is such a process.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
