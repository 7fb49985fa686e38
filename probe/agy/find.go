package agy

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// find returns the absolute path of agy; false if it is nowhere. It looks at
// $ANTIGRAVITY_CLI_PATH, then in $PATH, then where agy's installers put it. A relative
// path would depend on the working directory.
func find(lookup func(string) string, home, goos string) (string, bool) {
	name := "agy"
	if goos == "windows" {
		name = "agy.exe"
	}
	if path := lookup("ANTIGRAVITY_CLI_PATH"); runs(path) {
		return path, true
	}
	for _, dir := range append(filepath.SplitList(lookup("PATH")), installDirs(lookup, home, goos)...) {
		if path := filepath.Join(dir, name); runs(path) {
			return path, true
		}
	}
	return "", false
}

// runs reports whether an absolute path is that of an executable file.
func runs(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil && filepath.IsAbs(path)
}

func installDirs(lookup func(string) string, home, goos string) []string {
	if goos == "windows" {
		local := lookup("LOCALAPPDATA")
		return []string{filepath.Join(local, "Programs", "agy"), filepath.Join(local, "agy")}
	}
	return []string{filepath.Join(home, ".local", "bin"), "/opt/homebrew/bin", "/usr/local/bin"}
}

// Find returns the path of agy; false if it is nowhere.
func (d Dirs) Find() (string, bool) { return find(os.Getenv, d.Home, runtime.GOOS) }
