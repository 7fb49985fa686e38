//go:build unix

package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

const cure = ". Check the directory autostart in ~/.config (or XDG_CONFIG_HOME) and its permissions, then try again."

func TestNoHome(t *testing.T) {
	own := makeExecutable(t, "windsock")
	nothing := func(string) string { return "" }
	for _, p := range []place{newXDGPlace(nothing), newAgentPlace(nothing)} {
		e := entryOf(p, own)
		_, looked := e.Enabled()
		for _, err := range []error{looked, e.Enable(), e.Disable()} {
			if !errors.Is(err, errNoHome) || !strings.Contains(tell(t, err).Sentence, "the home directory is not known") {
				t.Errorf("%T: %v", p, err)
			}
		}
	}
}

func TestUnwritableEntry(t *testing.T) {
	own := makeExecutable(t, "windsock")
	for _, tt := range []struct {
		name  string
		spoil func(h desktopHost) error
		want  string
	}{
		{"file_for_a_directory", func(h desktopHost) error {
			return os.WriteFile(h.config, nil, 0o600)
		}, "not a directory"},
		{"directory_for_a_file", func(h desktopHost) error {
			return os.MkdirAll(h.file, 0o700)
		}, "not a regular file"},
		{"pipe", func(h desktopHost) error {
			return errors.Join(os.MkdirAll(filepath.Dir(h.file), 0o700), syscall.Mkfifo(h.file, 0o600))
		}, "not a regular file"},
		{"too_large", func(h desktopHost) error {
			return errors.Join(os.MkdirAll(filepath.Dir(h.file), 0o700), os.WriteFile(h.file, make([]byte, maxEntry+1), 0o600))
		}, "the file is too large to be an entry"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newDesktopHost(t)
			if err := tt.spoil(h); err != nil {
				t.Fatal(err)
			}
			want := told{"write autostart entry: " + tt.want, "Windsock cannot be set to start at login: " + tt.want + cure}
			if diff := cmp.Diff(want, tell(t, entryOf(h, own).Enable())); diff != "" {
				t.Error(diff)
			}
			assertNoTemporaryFiles(t, filepath.Dir(h.file))
		})
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in-the-way")
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (entryFile{path: path, linked: true}).write([]byte("x")); err == nil {
		t.Error("a directory has given way")
	}
	assertNoTemporaryFiles(t, dir)
}

// The link lies in a lasting place, and what it leads to does not.
func TestLinkToATemporaryExecutable(t *testing.T) {
	own := makeExecutable(t, "windsock")
	link := filepath.Join(t.TempDir(), "windsock")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	if got := tell(t, (program{link, nil}).lasts([]string{filepath.Dir(own)})); got != temporarySaid {
		t.Errorf("says %+v", got)
	}
}

func TestForbiddenEntry(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	own := makeExecutable(t, "windsock")
	h := newDesktopHost(t)
	e := entryOf(h, own)
	dir := filepath.Dir(h.file)
	enable(t, e)
	written := entry(t, own)

	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	assertEnabled(t, e, true)
	want := told{"remove autostart entry: permission denied", "Windsock cannot be kept from starting at login: permission denied" + cure}
	if diff := cmp.Diff(want, tell(t, e.Disable())); diff != "" {
		t.Errorf("Disable: %s", diff)
	}
	moved := entryOf(h, makeExecutable(t, "windsock"))
	want = told{"write autostart entry: permission denied", "Windsock cannot be set to start at login: permission denied" + cure}
	if diff := cmp.Diff(want, tell(t, moved.Enable())); diff != "" {
		t.Errorf("Enable: %s", diff)
	}
	assertFile(t, h.file, written)

	// One of the system that nobody may read starts nothing, and hides the next.
	other := newDesktopHost(t)
	writeFile(t, other.system, written)
	writeFile(t, strings.Replace(other.system, "/etc/", "/later/", 1), written)
	assertEnabled(t, entryOf(other, own), true)
	if err := os.Chmod(other.system, 0); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, entryOf(other, own), false)
	disable(t, entryOf(other, own))
	assertFile(t, other.file, string(newMask().bytes()))

	if err := os.Chmod(h.file, 0); err != nil {
		t.Fatal(err)
	}
	_, err := e.Enabled()
	want = told{"read autostart entry: permission denied", "Windsock cannot tell whether it starts at login: permission denied" + cure}
	if diff := cmp.Diff(want, tell(t, err)); diff != "" {
		t.Errorf("Enabled: %s", diff)
	}
}

// A reader never sees half a file, however often it is written.
func TestWriteIsAtomic(t *testing.T) {
	h := newDesktopHost(t)
	one, two := entry(t, makeExecutable(t, "windsock")), entry(t, makeExecutable(t, "a longer name", "windsock"))
	writeFile(t, h.file, one)
	stop := make(chan struct{})
	ended := make(chan error, 1)
	go func() { // ends when stop is closed
		for i := 0; ; i++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := (entryFile{path: h.file}).write([]byte([]string{one, two}[i%2])); err != nil {
				ended <- err
				return
			}
		}
	}()
	for late := time.Now().Add(200 * time.Millisecond); time.Now().Before(late); {
		got, err := os.ReadFile(h.file)
		if err != nil || string(got) != one && string(got) != two {
			t.Errorf("read %q, %v", got, err)
			break
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	assertNoTemporaryFiles(t, filepath.Dir(h.file))
}
