package autostart

import (
	"os"
	"path/filepath"
)

func systemPlace() place {
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return fileEntry{agentFormat, ""}
	}
	return fileEntry{agentFormat, filepath.Join(home, "Library", "LaunchAgents")}
}
