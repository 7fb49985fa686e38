package instance

import "os"

// Owned reports whether a directory exists. Windows passes on no directories of
// another user.
func Owned(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
