package system

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Runs reports whether a process runs. An ended one can be opened while another process
// has a handle to it; a running one may refuse to be opened.
func Runs(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // a process's
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	waited, err := windows.WaitForSingleObject(h, 0)
	return err != nil || waited == uint32(windows.WAIT_TIMEOUT)
}
