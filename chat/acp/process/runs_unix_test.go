//go:build !windows

package process

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// finds says whether a program is found that has left its group.
const finds = runtime.GOOS == "linux" || runtime.GOOS == "darwin"

var signals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE}

func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// runs reports whether a process runs. One that its parent has not looked at yet does not.
func runs(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && bytes.Contains(stat, []byte(") Z ")) {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}
