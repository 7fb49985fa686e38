//go:build !windows

package acp

import (
	"io/fs"
	"os"
	"path/filepath"
)

// everybody is the permission of all users to write.
const everybody = 0o002

// guarded reports whether not everybody may replace the program: neither the file nor its
// directory is open to all, and no directory above, unless users keep their own there,
// as in /tmp. That holds for a link to the program as well, which is what is run. A group
// may be: package managers are written to by one.
func guarded(path string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	return err == nil && closed(path) && closed(resolved)
}

// closed looks at a path as it is written, and at what each link on it leads to.
func closed(path string) bool {
	for at, first := path, true; ; at, first = filepath.Dir(at), false {
		info, err := os.Stat(at)
		if err != nil {
			return false
		}
		ownOnly := info.Mode()&fs.ModeSticky != 0 && !first && at != filepath.Dir(path)
		if info.Mode().Perm()&everybody != 0 && !ownOnly {
			return false
		}
		if at == filepath.Dir(at) {
			return true
		}
	}
}
