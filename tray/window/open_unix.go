//go:build !windows

package window

import (
	"os/exec"
	"syscall"
)

// detach keeps what ends Windsock's session or its terminal from ending the
// browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// appPath is a matter of Windows.
func appPath(string) string { return "" }
