//go:build !linux && !windows

package process

import (
	"os/exec"
	"syscall"
)

// alone is as on Linux. These systems do not end a child with its parent: it reads the
// end of its input, or the next Windsock ends it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
