//go:build !windows

package desktop

import (
	"os/exec"
	"runtime"
	"syscall"
)

func opener(address string) (name string, args []string) {
	if runtime.GOOS == "darwin" {
		return "open", []string{address}
	}
	return "xdg-open", []string{address}
}

// Detach lets the started program survive the end of Windsock's session or terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
