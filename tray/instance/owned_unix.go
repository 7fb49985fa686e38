//go:build !windows

package instance

import (
	"os"
	"syscall"
)

// Owned reports whether a directory exists and belongs to this process's user. Another
// user's directory, as sudo passes it on, must not hold a lock: its owner could not
// take the lock any more.
func Owned(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
