//go:build !windows && !darwin

package autostart

import (
	"os"
	"path/filepath"
)

// systemPlace reads the environment at each call. The xdg library reads it at the
// program's start, so a test would get the developer's directory.
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
