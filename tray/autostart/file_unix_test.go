//go:build unix

package autostart

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"windsock/probe/probetest"
)

// entries is an entry of each format, in a directory that is not there yet.
func entries(t *testing.T) []fileEntry {
	t.Helper()
	var all []fileEntry
	for _, format := range []fileFormat{desktopFormat, agentFormat} {
		all = append(all, fileEntry{format, filepath.Join(t.TempDir(), "not", "there yet")})
	}
	return all
}

func TestEntryIsWrittenAndRemoved(t *testing.T) {
	for _, f := range entries(t) {
		e := &Entry{executable: executable(t, "My 'Apps' & (more)", "windsock.exe"), place: f}
		assertEnabled(t, e, false)
		disable(t, e)
		enable(t, e)
		enable(t, e)
		if info, err := os.Stat(f.path()); err != nil || info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		disable(t, e)
		if _, err := os.Lstat(f.path()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("still there: %v", err)
		}
		disable(t, e)
	}
}

// A person's own arrangement of an entry that is on stays.
func TestEnableLeavesWhatIsOn(t *testing.T) {
	e := &Entry{executable: executable(t, "windsock.exe")}
	f := fileEntry{desktopFormat, t.TempDir()}
	e.place = f
	own := "[Desktop Entry]\n# slow disk\nX-GNOME-Autostart-Delay=20\nExec=\"" + e.executable + "\" --headless\n"
	if err := os.WriteFile(f.path(), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	enable(t, e)
	if content, err := os.ReadFile(f.path()); err != nil || string(content) != own {
		t.Errorf("got %q, %v", content, err)
	}
}

// An executable that was moved or deleted: its entry is off, and switching on makes
// it start the one that runs now.
func TestEntryFollowsTheExecutable(t *testing.T) {
	for _, f := range entries(t) {
		before := &Entry{executable: executable(t, "windsock.exe"), place: f}
		after := &Entry{executable: executable(t, "windsock.exe"), place: f}
		enable(t, before)
		assertEnabled(t, after, false) // another copy, even while it exists
		if err := os.Remove(before.executable); err != nil {
			t.Fatal(err)
		}
		assertEnabled(t, before, false)
		assertSays(t, before.Enable(), "was moved or deleted")
		enable(t, after)
		disable(t, before)
	}
}

// An entry that starts a link to the executable, as package managers of a user's own
// lay them, is one of the executable.
func TestEntryOfALink(t *testing.T) {
	f := fileEntry{desktopFormat, t.TempDir()}
	own := executable(t, "windsock.exe")
	link := filepath.Join(t.TempDir(), "windsock.exe")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	enable(t, &Entry{executable: link, place: f})
	assertEnabled(t, &Entry{executable: own, place: f}, true)

	// The link lies in a lasting place, but its target does not.
	e := &Entry{executable: link, place: f, temporary: []string{filepath.Dir(own)}}
	assertSays(t, e.Enable(), "runs from a temporary directory")
}

func TestSpoiltEntry(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(f fileEntry) error
		want  string
	}{
		{"directory_for_a_file", func(f fileEntry) error { return os.MkdirAll(f.path(), 0o700) }, "it is no ordinary file"},
		{"too_large", func(f fileEntry) error {
			return errors.Join(os.MkdirAll(f.directory, 0o700), os.WriteFile(f.path(), make([]byte, maxEntry+1), 0o600))
		}, "it is too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, f := range entries(t) {
				if err := tt.spoil(f); err != nil {
					t.Fatal(err)
				}
				_, err := (&Entry{executable: executable(t, "windsock.exe"), place: f}).Enabled()
				assertSays(t, err, "Windsock cannot tell whether it starts at login: "+tt.want+". Check the directory "+f.dir+" and its permissions")
			}
		})
	}
}

func TestNoHome(t *testing.T) {
	for _, f := range entries(t) {
		f.directory = ""
		e := &Entry{executable: executable(t, "windsock.exe"), place: f}
		_, looked := e.Enabled()
		for _, err := range []error{looked, e.Enable(), e.Disable()} {
			assertSays(t, err, "the home directory is not known")
		}
	}
}

func TestUnwritableEntry(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	f := fileEntry{desktopFormat, t.TempDir()}
	e := &Entry{executable: executable(t, "windsock.exe"), place: f}
	enable(t, e)
	if err := os.Chmod(f.directory, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(f.directory, 0o700) })
	assertEnabled(t, e, true)
	assertSays(t, e.Disable(), "Windsock cannot be kept from starting at login: permission denied. Check")
	e.executable = executable(t, "windsock.exe")
	assertSays(t, e.Enable(), "Windsock cannot be set to start at login: permission denied. Check")
}
