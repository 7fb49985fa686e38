package traytest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// processesOf are the processes that have a session's directory in their
// environment. Those that have ended and wait to be reaped have none.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(environ), "XDG_RUNTIME_DIR="+dir+"/") {
			continue // ended, or another user's
		}
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
		found = append(found, strings.TrimSpace(string(name)))
	}
	slices.Sort(found)
	return found
}

// displaySocket is where the X server of a session listens.
func displaySocket(d *Desktop) string {
	for _, entry := range d.Env() {
		if display, ok := strings.CutPrefix(entry, "DISPLAY=:"); ok {
			return "/tmp/.X11-unix/X" + display
		}
	}
	return ""
}

func TestNothingIsLeftOver(t *testing.T) {
	t.Parallel()
	var dir, socket string
	var started time.Time
	t.Run("session", func(t *testing.T) {
		started = time.Now()
		d := StartDesktop(t)
		dir, socket = d.Dir(), displaySocket(d)
		p := d.Start(t, program(t, "item"))
		d.Item(t, p.PID())
		d.Start(t, command(t, "sh", "-c", "sleep 300 &")).Wait(t) // ends before its child
		for _, name := range []string{"sleep", "Xvfb", "dbus-daemon", "openbox", "xfconfd", "dunst", "xfce4-panel"} {
			wait(t, "see "+name+" among the session's processes", func() (bool, string) { // the shell's child is a shell at first
				got := processesOf(t, dir)
				return slices.Contains(got, name), fmt.Sprintf("there are %q", got)
			})
		}
		if _, err := os.Stat(socket); err != nil {
			t.Error(err)
		}
		started = time.Now()
	})
	t.Logf("the end took %v", time.Since(started).Round(time.Millisecond))
	if got := processesOf(t, dir); len(got) > 0 {
		t.Errorf("left over: %q", got)
	}
	for _, path := range []string{dir, socket} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("left over: %s (%v)", path, err)
		}
	}
}

// TestKilledTestLeavesNothing kills a test process in the middle of a desktop,
// as a time limit does, so that no clean-up runs.
func TestKilledTestLeavesNothing(t *testing.T) {
	if os.Getenv("TRAYTEST_PROGRAM") == "test" {
		victim(t)
	}
	t.Parallel()
	b := StartBus(t) // for the process that is killed; it sees another session
	cmd := program(t, "test")
	cmd.Args = append(cmd.Args, "-test.run=^TestKilledTestLeavesNothing$", "-test.timeout=5m")
	p := b.Start(t, cmd)
	p.WaitOutput(t, "DIR=")
	p.WaitOutput(t, "\n")
	_, after, _ := strings.Cut(p.Output(), "DIR=")
	dir, socket, _ := strings.Cut(strings.Fields(after)[0], ":")
	if got := processesOf(t, dir); len(got) < 6 {
		t.Fatalf("the victim has only %q", got)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Wait(t)
	wait(t, "see the victim's processes end", func() (bool, string) {
		got := processesOf(t, dir)
		_, err := os.Stat(socket)
		return len(got) == 0 && os.IsNotExist(err), fmt.Sprintf("%q, %v", got, err)
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// victim is what [TestKilledTestLeavesNothing] kills.
func victim(t *testing.T) {
	t.Helper()
	d := StartDesktop(t)
	p := d.Start(t, program(t, "item"))
	d.Item(t, p.PID())
	fmt.Printf("DIR=%s:%s\n", d.Dir(), displaySocket(d))
	select {}
}
