package autostart

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"windsock/probe/say"
)

// lasts refuses an executable that would be gone at the next login.
func (e *Entry) lasts() error {
	if !filepath.IsAbs(e.executable) {
		return &say.Error{
			What: "Windsock does not know where its own program file lies, so it cannot be set to start at login.",
			Cure: "Start it by its full path and try again.",
		}
	}
	if _, err := exec.LookPath(e.executable); err != nil {
		return &say.Error{
			What: "The program file of this Windsock was moved or deleted, so it would not start at the next login.",
			Cure: "Start Windsock from where it lies now and try again.",
		}
	}
	for _, path := range withTarget(e.executable) {
		if builtToRun.MatchString(filepath.ToSlash(path)) || slices.ContainsFunc(e.temporary, func(dir string) bool { return below(dir, path) }) {
			return &say.Error{
				What: "This Windsock runs from a temporary directory, which may be empty at the next login.",
				Cure: "Move it to a lasting place, start it from there and try again.",
			}
		}
	}
	return nil
}

// builtToRun matches the directories of executables of go run, and of apps that macOS
// runs unmoved since their download.
var builtToRun = regexp.MustCompile(`/(go-build[0-9]*|AppTranslocation)/`)

// withTarget returns a path and, if it is a link, the link's target.
func withTarget(path string) []string {
	paths := []string{filepath.Clean(path)}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		paths = append(paths, target)
	}
	return paths
}

// below reports whether a path lies below a directory.
func below(dir, path string) bool {
	return slices.ContainsFunc(withTarget(dir), func(dir string) bool {
		rel, err := filepath.Rel(dir, path) // ignores case on Windows
		return err == nil && filepath.IsLocal(rel)
	})
}

// temporaryDirs are the directories that the system empties. Files in /var/tmp last
// longer than in the others, but not for good. A program that Windows starts from
// within a ZIP file lies in its temporary directory.
func temporaryDirs() []string {
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm", "/var/folders"}
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), windowsTemp()} {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func windowsTemp() string {
	if root := os.Getenv("SystemRoot"); root != "" {
		return filepath.Join(root, "Temp")
	}
	return ""
}
