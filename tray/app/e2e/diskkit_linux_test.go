package e2e

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// homeOnDisk is a person's home on a disk of its own, with an editor that runs.
type homeOnDisk struct {
	*editor

	home string
}

// diskSize is enough for what Windsock keeps in a test, and soon full.
const diskSize = "4m"

func newHomeOnDisk(t *testing.T) homeOnDisk {
	t.Helper()
	bus := traytest.StartBus(t)
	home := filepath.Join(bus.Dir(), "home")
	mount(t, "tmpfs", home, "tmpfs", 0, "size="+diskSize)
	e := signIn(t, bus)
	e.start(t, simulator.Config{Scenario: scenarioBefore})
	return homeOnDisk{e, home}
}

// mount mounts until the end of the test, which needs the right to.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		probetest.Lacks(t, "the right to mount a disk: "+err.Error())
	}
	t.Cleanup(func() { unmount(t, target) })
}

// unmount ends a mount, if it is there. Programs may still be at it.
func unmount(t *testing.T, target string) {
	t.Helper()
	if err := syscall.Unmount(target, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
		t.Error("unmount a disk: ", err)
	}
}

// fill fills a disk to the last byte, until mend.
func fill(t *testing.T, dir string) (mend func()) {
	t.Helper()
	name := filepath.Join(dir, "ballast")
	ballast, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer ballast.Close()
	for size := 1 << 20; size > 0; {
		if _, err := ballast.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// readOnly makes a directory read-only, until mend.
func readOnly(t *testing.T, dir string) (mend func()) {
	t.Helper()
	mount(t, dir, dir, "", syscall.MS_BIND, "")
	mount(t, "", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
	return func() { unmount(t, dir) }
}

// run runs a command in the home.
func (h homeOnDisk) run(t *testing.T, args string) (stdout, stderr string, code int) {
	t.Helper()
	var fields []string
	for field := range strings.FieldsSeq(args) {
		fields = append(fields, strings.Replace(field, "HOME", h.home, 1))
	}
	cmd := h.command(t, fields...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	code = h.bus.Start(t, cmd).Wait(t)
	return out.String(), said.String(), code
}

// says checks what a command says.
func (h homeOnDisk) says(t *testing.T, want told) {
	t.Helper()
	_, stderr, code := h.run(t, want.args)
	stderr = stderr[max(0, strings.LastIndex(stderr, "windsock: ")):]
	if code != want.code || want.stderr != "*" && stderr != want.stderr {
		t.Errorf("windsock %s: exit code %d, want %d; stderr (-want +got):\n%s", want.args, code, want.code, cmp.Diff(want.stderr, stderr))
	}
}

// out is what a command writes, which has to succeed.
func (h homeOnDisk) out(t *testing.T, args string) string {
	t.Helper()
	stdout, stderr, code := h.run(t, args)
	if code != 0 || stderr != "" {
		t.Fatalf("windsock %s: exit code %d, %s", args, code, stderr)
	}
	return stdout
}

// files are the files in the home, but locks, which are empty.
func (h homeOnDisk) files(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(h.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") && !strings.Contains(path, "history.db-") {
			names = append(names, strings.TrimPrefix(path, h.home))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// onAnother puts a directory of a session onto a disk that can be unplugged. Where it was
// nobody can make another.
func onAnother(t *testing.T, bus *traytest.Bus, dir string) (plug, unplug func()) {
	t.Helper()
	disk, dir := filepath.Join(bus.Dir(), "disk"), filepath.Join(bus.Dir(), dir)
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	mount(t, "tmpfs", disk, "tmpfs", 0, "size="+diskSize)
	mount(t, "tmpfs", dir, "tmpfs", syscall.MS_RDONLY, "size=4k")
	plug = func() { mount(t, disk, dir, "", syscall.MS_BIND, "") }
	plug()
	return plug, func() { unmount(t, dir) }
}

// roomOnDisk is a room whose home is on a disk of its own.
func roomOnDisk(t *testing.T) (r *room, home string) {
	t.Helper()
	bus := traytest.StartBus(t)
	home = filepath.Join(bus.Dir(), "home")
	mount(t, "tmpfs", home, "tmpfs", 0, "size="+diskSize)
	return newRoomOn(t, bus), home
}

// newHome is a home as it is, with an editor that runs.
func newHome(t *testing.T) homeOnDisk {
	t.Helper()
	bus := traytest.StartBus(t)
	e := signIn(t, bus)
	e.start(t, simulator.Config{Scenario: scenarioBefore})
	return homeOnDisk{e, filepath.Join(bus.Dir(), "home")}
}
