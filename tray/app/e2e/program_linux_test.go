package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// builds is where the programs lie that are built once for all tests.
var builds = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "windsock-test-") })

// removeBuilds runs after all tests.
func removeBuilds() {
	if dir, err := builds(); err == nil {
		_ = os.RemoveAll(dir)
	}
}

// A program is one that is built at its first use. That it knows no commit makes
// its version the same in a clone as in a tree that was unpacked.
func program(name, of string, environment []string, args ...string) func(testing.TB) string {
	build := sync.OnceValues(func() (string, error) {
		dir, err := builds()
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		linked := path + ".linked"
		link := exec.Command("go", append(args, "-buildvcs=false", "-o", linked, of)...)
		link.Env = append(os.Environ(), environment...)
		// Programs are started from files that an installer wrote. The linker maps its
		// file, and the pages that Linux then keeps of it make a start 0.7 ms longer.
		for _, cmd := range []*exec.Cmd{link, exec.Command("cp", linked, path)} {
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
			}
		}
		return path, os.Remove(linked)
	})
	return func(tb testing.TB) string {
		tb.Helper()
		path, err := build()
		if err != nil {
			tb.Fatal(err)
		}
		return path
	}
}

var (
	// shipped is windsock as it is built for people.
	shipped = program("shipped/windsock", "windsock", []string{"CGO_ENABLED=0"}, "build", "-trimpath", "-tags", "nethttpomithttp2", "-ldflags", "-s -w")
	// shippedForWindows is that for Windows.
	shippedForWindows = program("shipped/windsock.exe", "windsock", []string{"CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64"},
		"build", "-trimpath", "-tags", "nethttpomithttp2", "-ldflags", "-s -w")
	// raceFree is the program of this test without the race detector.
	raceFree = program("race-free/windsock", "windsock/tray/app/e2e", nil, "test", "-c")
)

// testProgram is a build of this test's program, which behaves as windsock under
// that name. systray has data races of its own, so that one built with the race
// detector does not do.
func testProgram(t *testing.T) string {
	t.Helper()
	if raceEnabled {
		return raceFree(t)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// install puts windsock somewhere.
func install(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Link(testProgram(t), path) == nil {
		return
	}
	content, err := os.ReadFile(testProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o700); err != nil {
		t.Fatal(err)
	}
}
