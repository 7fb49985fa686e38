package autostart

import "os"

func systemPlace(getenv func(string) string) place { return newAgentPlace(getenv) }

// passingDirs are the directories that the system empties by itself; each user's
// own temporary directory lies in /var/folders.
func passingDirs(func(string) string) []string {
	return []string{os.TempDir(), "/tmp", "/var/tmp", "/var/folders"}
}
