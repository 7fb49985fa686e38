//go:build !windows && !darwin

package autostart

import "os"

func systemPlace(getenv func(string) string) place { return newXDGPlace(getenv) }

// passingDirs are the directories that are emptied, at the latest, when the system
// starts; /var/tmp lasts longer, but not for good.
func passingDirs(getenv func(string) string) []string {
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		dirs = append(dirs, dir)
	}
	return dirs
}
