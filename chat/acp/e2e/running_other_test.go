//go:build !linux && !windows

package e2e

import "syscall"

// running reports whether a process runs.
func running(pid int) bool { return syscall.Kill(pid, 0) == nil }
