package browser

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fileDir is the directory for a file that a browser has to read: the wanted one, or
// one that a browser of Snap or Flatpak can see if it cannot see the wanted one; "" if
// there is none.
func (s system) fileDir(path, wanted string) string {
	switch target := s.real(path); {
	case target == "/usr/bin/snap" || strings.HasPrefix(path, "/snap/"):
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		return s.snapFileDir(name)
	case strings.HasSuffix(filepath.Dir(path), "/flatpak/exports/bin"):
		return s.ifThere(filepath.Join(s.home, ".var/app", filepath.Base(path)))
	}
	return wanted
}

// defaultFileDir is fileDir for the default browser. A file that the desktop opens
// reaches a browser of Flatpak by itself. Snap names an application's entry
// SNAP_APPLICATION.desktop.
func (s system) defaultFileDir(ctx context.Context, wanted string) string {
	if snap, _, ok := strings.Cut(s.entry(ctx), "_"); ok {
		return s.snapFileDir(snap)
	}
	return wanted
}

func (s system) snapFileDir(name string) string {
	return s.ifThere(filepath.Join(s.home, "snap", name, "common"))
}

func (s system) ifThere(dir string) string {
	if s.there(dir) {
		return dir
	}
	return ""
}

// defaultEntry is the name of the default browser's entry on an XDG desktop, "" if
// unknown.
func defaultEntry(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	name, err := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
