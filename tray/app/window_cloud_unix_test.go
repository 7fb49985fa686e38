//go:build unix

package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The page's list, and the menu's look for a sign-in, open none: a pipe in the place of
// one would hold up whoever opens it for good.
func TestWindowCloudListsWithoutOpening(t *testing.T) {
	t.Parallel()
	c := newConsenting(t)
	for _, file := range []string{
		".local/share/devin/credentials.toml", ".config/cursor/auth.json",
		".config/Cursor/User/globalStorage/state.vscdb", ".config/Windsurf/User/globalStorage/state.vscdb",
	} {
		path := filepath.Join(c.home, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := make(chan map[string]bool, 1)
	go func() { // ends with the test's process at the latest
		found := map[string]bool{"wanting": c.choices().Wanting()}
		for _, s := range c.SignIns() {
			found[s.Name] = s.There
		}
		there <- found
	}()
	select {
	case found := <-there:
		for _, name := range []string{"wanting", "windsurf", "devin-cli", "cursor"} {
			if !found[name] {
				t.Errorf("%s is not there: %v", name, found)
			}
		}
	case <-time.After(time.Minute):
		t.Fatal("it has opened a sign-in")
	}
}
