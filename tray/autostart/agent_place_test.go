//go:build unix

package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newAgentHost(t *testing.T) (l agentPlace, file string) {
	t.Helper()
	home := t.TempDir()
	l = newAgentPlace(func(key string) string { return map[string]string{"HOME": home}[key] })
	return l, filepath.Join(home, "Library", "LaunchAgents", "windsock.autostart.plist")
}

func agentOf(t *testing.T, executable string, args ...string) string {
	t.Helper()
	a, err := newAgent(program{executable, args})
	if err != nil {
		t.Fatal(err)
	}
	return string(a.bytes())
}

func TestAgentIsWrittenAndRemoved(t *testing.T) {
	l, file := newAgentHost(t)
	own := makeExecutable(t, "My <Apps>", "Windsock.app", "Contents", "MacOS", "windsock")
	e := entryOf(l, own, "tray")
	assertEnabled(t, e, false)
	disable(t, e)
	enable(t, e)
	assertFile(t, file, agentOf(t, own, "tray"))
	enable(t, e)
	assertNoTemporaryFiles(t, filepath.Dir(file))
	disable(t, e)
	assertFile(t, file, "")
}

func TestAgentFollowsTheExecutable(t *testing.T) {
	l, file := newAgentHost(t)
	before, after := makeExecutable(t, "windsock"), makeExecutable(t, "windsock")
	enable(t, entryOf(l, before))
	assertEnabled(t, entryOf(l, after), false)
	if err := os.Remove(before); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, entryOf(l, before), false)
	enable(t, entryOf(l, after))
	assertFile(t, file, agentOf(t, after))
}

func TestAgentOfTheUsersShape(t *testing.T) {
	l, file := newAgentHost(t)
	own := makeExecutable(t, "windsock")
	users := strings.Replace(agentOf(t, own), "</dict>", "\t<key>Nice</key>\n\t<integer>5</integer>\n</dict>", 1)
	writeFile(t, file, users)
	e := entryOf(l, own)
	assertEnabled(t, e, true)
	disable(t, e)
	disabled := strings.Replace(users, "</dict>", "\t<key>Disabled</key>\n\t<true/>\n</dict>", 1)
	assertFile(t, file, disabled)
	disable(t, e)
	assertFile(t, file, disabled)
	enable(t, e)
	assertFile(t, file, users)
}

// Another program may have turned the file into the binary form, which launchd
// reads and this package does not.
func TestAgentThatIsNoXML(t *testing.T) {
	l, file := newAgentHost(t)
	own := makeExecutable(t, "windsock")
	e := entryOf(l, own)
	writeFile(t, file, "bplist00")
	_, err := e.Enabled()
	want := told{
		"read autostart entry: not an XML property list",
		"Windsock cannot tell whether it starts at login: not an XML property list. Check the directory ~/Library/LaunchAgents and its permissions, then try again.",
	}
	if got := tell(t, err); got != want {
		t.Errorf("says %+v", got)
	}
	enable(t, e)
	assertFile(t, file, agentOf(t, own))
	writeFile(t, file, "bplist00")
	disable(t, e)
	assertFile(t, file, "")
}

func TestAgentThroughALink(t *testing.T) {
	l, file := newAgentHost(t)
	own := makeExecutable(t, "windsock")
	kept := filepath.Join(t.TempDir(), "windsock.plist")
	writeFile(t, kept, agentOf(t, own))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.Symlink(kept, file)); err != nil {
		t.Fatal(err)
	}
	e := entryOf(l, own)
	assertEnabled(t, e, true)
	disable(t, e)
	enable(t, e)
	assertFile(t, kept, agentOf(t, own))
	if info, err := os.Lstat(file); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("no link any more: %v, %v", info, err)
	}
}
