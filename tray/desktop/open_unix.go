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

// Detach keeps what ends Windsock's session or its terminal from ending what it
// starts.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
