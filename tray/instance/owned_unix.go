//go:build !windows

package instance

import (
	"os"
	"syscall"
)

// Owned reports whether a directory is there and belongs to this process's
// user. One of somebody else, as sudo hands it on, is no place for a lock: that
// user could not take it any more.
func Owned(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
