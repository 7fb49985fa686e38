//go:build !windows

package tray

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

// detach keeps what ends Windsock's session or its terminal from ending what it
// opened.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
