package e2e

import "golang.org/x/sys/windows"

// running reports whether a process runs.
func running(pid int) bool {
	const active = 259
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // a PID
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == active
}
