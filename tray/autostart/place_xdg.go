//go:build !windows && !darwin

package autostart

import (
	"os"
	"path/filepath"
)

// systemPlace reads the environment at once. The xdg library has done so when the
// program started, and would tell a test the directory of the developer.
func systemPlace() place {
	config := os.Getenv("XDG_CONFIG_HOME")
	if home := os.Getenv("HOME"); !filepath.IsAbs(config) && filepath.IsAbs(home) { // a relative one is to be ignored
		config = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(config) {
		return fileEntry{desktopFormat, ""}
	}
	return fileEntry{desktopFormat, filepath.Join(config, "autostart")}
}
