//go:build unix

package cloud

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"windsock/probe/probetest"
)

func TestSignInNotReadable(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	const file = "~/.local/share/devin/credentials.toml"
	checkSignIns(t, newDisk(t, "linux"), signInCase{
		ID: "cli-not-readable", Files: map[string]*string{file: nil},
		Want: map[string]seen{devinCLI: {State: string(NoCredential), Why: "permission denied"}},
	})
}

// Pipes in the place of all sign-ins: opening one would block for good. Listing opens none;
// reading says what is there, and a directory is not read either.
func TestNoSignInIsOpenedToListIt(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin", "windows"} {
		for kind, place := range map[string]func(string) error{
			"pipe":      func(path string) error { return unix.Mkfifo(path, 0o600) },
			"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			t.Run(system+"_"+kind, func(t *testing.T) {
				t.Parallel()
				h := newDisk(t, system)
				var paths []string
				for _, s := range Sources(h.dirs) {
					paths = append(paths, s.File)
				}
				paths = append(paths, map[string][]string{
					"linux":   {"~/.config/cursor/auth.json", "~/.local/share/cognition/credentials.toml"},
					"darwin":  {"~/.cursor/auth.json", "~/.local/share/cognition/credentials.toml"},
					"windows": {`%APPDATA%\Cursor\auth.json`},
				}[system]...)
				for _, title := range paths {
					path := h.path(title)
					if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := place(path); err != nil {
						t.Fatal(err)
					}
				}
				listed := make(chan []Source)
				go func() {
					listed <- slices.DeleteFunc(Sources(h.dirs), func(s Source) bool { return !s.There() || s.Sign() == "" })
				}()
				var all []Source
				select {
				case all = <-listed:
				case <-time.After(20 * time.Second):
					t.Fatal("a sign-in was opened")
				}
				if len(all) != len(Sources(h.dirs)) {
					t.Errorf("there are %d", len(all))
				}
				for _, s := range all {
					if diff := cmp.Diff(seen{State: string(NoCredential), Why: "it is no ordinary file"}, see(t, s)); diff != "" {
						t.Errorf("%s: %s", s.Name, diff)
					}
				}
			})
		}
	}
}

// A file that is a link is followed: people keep such files elsewhere, and link them.
func TestLinkedSignIn(t *testing.T) {
	t.Parallel()
	h := newDisk(t, "linux")
	h.write(t, "~/dotfiles/devin.toml", `windsurf_api_key = "`+session+`"`)
	path := h.path("~/.local/share/devin/credentials.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(h.path("~/dotfiles/devin.toml"), path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seen{State: "ready", Form: "session token", Host: hostWindsurf, Known: true}, see(t, h.source(t, devinCLI))); diff != "" {
		t.Error(diff)
	}
}
