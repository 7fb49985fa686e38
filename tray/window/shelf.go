package window

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// shelf is the directory for a file that a browser is to read: the one that is
// wanted, or one that it sees where Snap or Flatpak keep it from the others; ""
// where there is none.
func (l looks) shelf(path, wanted string) string {
	switch target := l.real(path); {
	case target == "/usr/bin/snap" || strings.HasPrefix(path, "/snap/"):
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		return l.snapShelf(name)
	case strings.HasSuffix(filepath.Dir(path), "/flatpak/exports/bin"):
		return l.ifThere(filepath.Join(l.home, ".var/app", filepath.Base(path)))
	}
	return wanted
}

// defaultShelf is the same for the default browser. A file that is opened by the
// desktop reaches one of Flatpak's by itself. Snap calls an application's entry
// SNAP_APPLICATION.desktop.
func (l looks) defaultShelf(ctx context.Context, wanted string) string {
	if snap, _, ok := strings.Cut(l.entry(ctx), "_"); ok {
		return l.snapShelf(snap)
	}
	return wanted
}

func (l looks) snapShelf(name string) string {
	return l.ifThere(filepath.Join(l.home, "snap", name, "common"))
}

func (l looks) ifThere(dir string) string {
	if l.there(dir) {
		return dir
	}
	return ""
}

// defaultEntry is the name of the default browser's entry on a desktop of XDG, "" if
// nobody knows it.
func defaultEntry(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	name, err := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
