package autostart

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/windows/registry"
)

// newTestRegistry is a key for the test only, far from the keys of the login.
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
	own := executable(t, "my windsock.exe")
	e := &Entry{executable: own, place: r}
	assertEnabled(t, e, false)
	disable(t, e)
	enable(t, e)
	note(t, r, 2)
	assertEnabled(t, e, true)
	note(t, r, 3)
	assertEnabled(t, e, false)
	enable(t, e)
	note(t, r, 3)
	disable(t, e)
	enable(t, e) // nothing of the old note is left

	assertEnabled(t, &Entry{executable: executable(t, "my windsock.exe"), place: r}, false)
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, false)
}

func TestRegistryOfAnotherType(t *testing.T) {
	r := newTestRegistry(t)
	e := &Entry{executable: executable(t, "windsock.exe"), place: r}
	key, _, err := registry.CreateKey(registry.CURRENT_USER, r.runKey(), registry.SET_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	if err := key.SetDWordValue(valueName, 1); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, false)
	enable(t, e)
}

func TestRegistryRefuses(t *testing.T) {
	r := newTestRegistry(t)
	long := `C:\` + strings.Repeat("ä", maxCommand-5) // with its quotes as long as is allowed
	if err := r.write(long); err != nil {
		t.Errorf("%d characters: %v", maxCommand, err)
	}
	err := r.write(long + "x")
	if err == nil {
		t.Fatal("written")
	}
	assertSays(t, err, "it is longer than Windows takes there")
}
