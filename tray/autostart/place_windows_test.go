package autostart

import (
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// newTestRegistry is a key of the test's own, far from what is run at login.
func newTestRegistry(t *testing.T) userRegistry {
	t.Helper()
	r := userRegistry{`Software\windsock-test-` + strconv.Itoa(os.Getpid())}
	t.Cleanup(func() {
		for _, path := range []string{r.approvedKey(), r.base + `\Explorer\StartupApproved`, r.base + `\Explorer`, r.runKey(), r.base} {
			_ = registry.DeleteKey(registry.CURRENT_USER, path)
		}
	})
	return r
}

// note writes what Task Manager would.
func note(t *testing.T, r userRegistry, first byte) {
	t.Helper()
	key, _, err := registry.CreateKey(registry.CURRENT_USER, r.approvedKey(), registry.SET_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	if err := key.SetBinaryValue(valueName, append([]byte{first}, make([]byte, 11)...)); err != nil {
		t.Fatal(err)
	}
}

func TestRegistry(t *testing.T) {
	r := newTestRegistry(t)
	own := makeExecutable(t, "my windsock.exe")
	e := entryOf(runPlace{r}, own, "tray")
	assertEnabled(t, e, false)
	disable(t, e)
	enable(t, e)
	line, err := r.command()
	if want := `"` + own + `" tray`; err != nil || line != want {
		t.Errorf("starts %s, %v; want %s", line, err, want)
	}
	note(t, r, 2)
	assertEnabled(t, e, true)
	note(t, r, 3)
	assertEnabled(t, e, false)
	enable(t, e)
	note(t, r, 3)
	disable(t, e)
	if noted, err := r.approval(); err != nil || noted != nil {
		t.Errorf("still noted: %v, %v", noted, err)
	}
	enable(t, e)
}

func TestRegistryOfOtherTypes(t *testing.T) {
	r := newTestRegistry(t)
	own := makeExecutable(t, "windsock.exe")
	t.Setenv("WINDSOCK_TEST_PATH", own)
	e := entryOf(runPlace{r}, own)
	key, _, err := registry.CreateKey(registry.CURRENT_USER, r.runKey(), registry.SET_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	if err := key.SetExpandStringValue(valueName, `"%WINDSOCK_TEST_PATH%"`); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, true)
	if err := key.SetDWordValue(valueName, 1); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, false)
	enable(t, e)
}

// Windows itself takes a command line apart as this package does.
func TestCommandLineAsWindows(t *testing.T) {
	for _, words := range [][]string{
		{`C:\Program Files\windsock.exe`, "tray"},
		{`\\server\share\w.exe`, "", `a"b`, `a\"b`, `c:\d e\`, `\\`, `"`, `a\\" b\`},
	} {
		line, err := joinCommandLine(words)
		if err != nil {
			t.Fatal(err)
		}
		got, err := windows.DecomposeCommandLine(line)
		if diff := cmp.Diff(words, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", line, err, diff)
		}
	}
}
