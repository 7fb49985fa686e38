package instance

import "os"

// Owned reports whether a directory is there. Windows hands nobody the
// directories of somebody else.
func Owned(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
