package browser

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fileDir is the directory for a file that a browser is to read: the one that is
// wanted, or one that it sees where Snap or Flatpak keep it from the others; ""
// where there is none.
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

// defaultFileDir is the same for the default browser. A file that is opened by the
// desktop reaches one of Flatpak's by itself. Snap calls an application's entry
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

// defaultEntry is the name of the default browser's entry on a desktop of XDG, ""
// where it is not known.
func defaultEntry(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	name, err := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
