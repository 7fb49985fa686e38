//go:build unix

package autostart

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// desktopHost is the directories of a computer of a test's own.
type desktopHost struct {
	xdgPlace

	file, system string // the user's entry, and that of the whole system
}

func newDesktopHost(t *testing.T) desktopHost {
	t.Helper()
	root := t.TempDir()
	env := map[string]string{
		"HOME":                root,
		"XDG_CONFIG_HOME":     filepath.Join(root, "config"),
		"XDG_CONFIG_DIRS":     "relative:" + filepath.Join(root, "etc") + ":" + filepath.Join(root, "later"),
		"XDG_CURRENT_DESKTOP": "ubuntu:GNOME",
	}
	return desktopHost{
		newXDGPlace(func(key string) string { return env[key] }),
		filepath.Join(root, "config", "autostart", "windsock.desktop"),
		filepath.Join(root, "etc", "autostart", "windsock.desktop"),
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// assertFile compares a file, of which "" means that there is none.
func assertFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", filepath.Base(path), diff)
	}
}

func assertNoTemporaryFiles(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".windsock-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// entry is the file that starts an executable.
func entry(t *testing.T, executable string, args ...string) string {
	t.Helper()
	d, err := newDesktopFile(program{executable, args})
	if err != nil {
		t.Fatal(err)
	}
	return string(d.bytes())
}

func TestDirectories(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want xdgPlace
	}{
		{"nothing", nil, xdgPlace{system: []string{"/etc/xdg"}}},
		{"home", map[string]string{"HOME": "/h"}, xdgPlace{config: "/h/.config", system: []string{"/etc/xdg"}}},
		{"config_home", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, xdgPlace{config: "/c", system: []string{"/etc/xdg"}}},
		{"relative", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_CONFIG_DIRS": "d:/e:"}, xdgPlace{config: "/h/.config", system: []string{"/e"}}},
		{"desktops", map[string]string{"XDG_CURRENT_DESKTOP": "a::b"}, xdgPlace{system: []string{"/etc/xdg"}, desktops: []string{"a", "b"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := newXDGPlace(func(key string) string { return tt.env[key] })
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(xdgPlace{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDesktopEntryIsWrittenAndRemoved(t *testing.T) {
	h := newDesktopHost(t)
	own := makeExecutable(t, `my "odd" $dir 100%`, "windsock")
	e := entryOf(h, own, "tray")
	assertEnabled(t, e, false)
	disable(t, e)
	enable(t, e)
	assertFile(t, h.file, entry(t, own, "tray"))
	info, err := os.Stat(h.file)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if dir, err := os.Stat(filepath.Dir(h.file)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("mode of the directory %v, %v", dir.Mode(), err)
	}
	enable(t, e)
	assertNoTemporaryFiles(t, filepath.Dir(h.file))
	disable(t, e)
	assertFile(t, h.file, "")
	disable(t, e)
}

// An executable that was moved or deleted: its entry is off, and switching on makes
// it start the one that runs now.
func TestDesktopEntryFollowsTheExecutable(t *testing.T) {
	h := newDesktopHost(t)
	before, after := makeExecutable(t, "windsock"), makeExecutable(t, "windsock")
	enable(t, entryOf(h, before))
	moved := entryOf(h, after)
	assertEnabled(t, moved, false) // another copy, even while it exists
	if err := os.Remove(before); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, entryOf(h, before), false)
	if got := tell(t, entryOf(h, before).Enable()); got != goneSaid {
		t.Errorf("the deleted one: %+v", got)
	}
	enable(t, moved)
	assertFile(t, h.file, entry(t, after))
	if err := os.Chmod(after, 0o600); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, moved, false) // nobody could start it
	disable(t, entryOf(h, before))
	assertFile(t, h.file, "")
}

// An entry that starts a link to the executable, as package managers of a user's
// own lay them, is one of the executable.
func TestDesktopEntryOfALink(t *testing.T) {
	h := newDesktopHost(t)
	own := makeExecutable(t, "windsock")
	link := filepath.Join(t.TempDir(), "windsock")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	writeFile(t, h.file, entry(t, link))
	assertEnabled(t, entryOf(h, own), true)
}

// What the user has added to the entry outlives being switched off and on.
func TestDesktopEntryOfTheUsersShape(t *testing.T) {
	h := newDesktopHost(t)
	own := makeExecutable(t, "windsock")
	users := strings.Replace(entry(t, own), "Terminal=false", "# slow disk\nX-GNOME-Autostart-Delay=20\nTerminal=false", 1)
	writeFile(t, h.file, users)
	e := entryOf(h, own)
	assertEnabled(t, e, true)
	disable(t, e)
	assertFile(t, h.file, users+"Hidden=true\n")
	disable(t, e)
	assertFile(t, h.file, users+"Hidden=true\n")
	enable(t, e)
	assertFile(t, h.file, users)
}

func TestDesktopEntryOfTheSystem(t *testing.T) {
	h := newDesktopHost(t)
	own, other := makeExecutable(t, "windsock"), makeExecutable(t, "windsock")
	e := entryOf(h, own)
	mask := string(newMask().bytes())

	t.Run("switched_off_and_on", func(t *testing.T) {
		writeFile(t, h.system, entry(t, own))
		assertEnabled(t, e, true)
		enable(t, e)
		assertFile(t, h.file, "")
		disable(t, e)
		assertFile(t, h.file, mask)
		disable(t, e)
		enable(t, e)
		assertFile(t, h.file, "")
	})
	t.Run("of_another_copy", func(t *testing.T) {
		writeFile(t, h.system, entry(t, other))
		assertEnabled(t, e, true)
		disable(t, e)
		enable(t, e)
		assertFile(t, h.file, entry(t, own))
		disable(t, e) // to remove the file would start the other one
		assertFile(t, h.file, entry(t, own)+"Hidden=true\n")
		enable(t, e)
		if err := os.Remove(h.file); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("of_nothing", func(t *testing.T) {
		writeFile(t, h.system, entry(t, filepath.Join(t.TempDir(), "gone")))
		assertEnabled(t, e, false)
		enable(t, e)
		assertFile(t, h.file, entry(t, own))
		if err := os.Remove(h.file); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("of_nothing_without_try", func(t *testing.T) {
		writeFile(t, h.system, "[Desktop Entry]\nType=Application\nExec=/no/such/windsock\n")
		assertEnabled(t, e, false)
	})
	t.Run("first_directory_decides", func(t *testing.T) {
		writeFile(t, h.system, mask)
		writeFile(t, strings.Replace(h.system, "/etc/", "/later/", 1), entry(t, own))
		assertEnabled(t, e, false)
		if err := os.Remove(h.system); err != nil {
			t.Fatal(err)
		}
		assertEnabled(t, e, true)
	})
	t.Run("overridden", func(t *testing.T) {
		writeFile(t, h.file, "not an entry")
		assertEnabled(t, e, false)
		disable(t, e)
		assertFile(t, h.file, "not an entry")
		enable(t, e)
		assertFile(t, h.file, entry(t, own))
	})
}

func TestDesktopEntryThroughALink(t *testing.T) {
	h := newDesktopHost(t)
	own := makeExecutable(t, "windsock")
	e := entryOf(h, own)
	kept := filepath.Join(t.TempDir(), "dotfiles", "windsock.desktop")
	writeFile(t, kept, entry(t, own))
	link := func(to string) {
		_ = os.Remove(h.file)
		if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, h.file); err != nil {
			t.Fatal(err)
		}
	}
	isLink := func() bool {
		info, err := os.Lstat(h.file)
		return err == nil && info.Mode()&os.ModeSymlink != 0
	}

	link(kept)
	assertEnabled(t, e, true)
	disable(t, e)
	assertFile(t, kept, entry(t, own)+"Hidden=true\n")
	enable(t, e)
	assertFile(t, kept, entry(t, own))
	if !isLink() {
		t.Error("the link has become a file")
	}
	assertNoTemporaryFiles(t, filepath.Dir(kept))

	writeFile(t, h.system, entry(t, own))
	disable(t, e)
	enable(t, e)
	assertFile(t, kept, entry(t, own))
	if !isLink() {
		t.Error("the link has given way to the system's entry")
	}
	if err := os.Remove(h.system); err != nil {
		t.Fatal(err)
	}

	// A pipe stands for /dev/null, which a broken guard would replace when root tests.
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{pipe, filepath.Join(t.TempDir(), "gone"), t.TempDir()} {
		link(to)
		assertEnabled(t, e, false)
		disable(t, e)
		if !isLink() {
			t.Errorf("link to %s: Disable has touched it", to)
		}
		enable(t, e)
		if isLink() {
			t.Errorf("link to %s: still one", to)
		}
		assertFile(t, h.file, entry(t, own))
	}
}
