//go:build unix

package simulator

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether a file is this user's.
func own(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Getuid())
}
