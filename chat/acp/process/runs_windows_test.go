package process

import (
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

const finds = true // a job keeps what it has

var signals = []os.Signal{os.Interrupt}

func leaveGroup(*exec.Cmd) {}

func runs(pid int) bool {
	const active = 259
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == active
}
