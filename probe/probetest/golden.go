// Package probetest is what the tests of several rooms have in common: golden
// files, and the step down from root to an ordinary user. It knows nothing of the
// project, and lies here because every room may know probe's. Only tests import
// it.
package probetest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether the tests run with -update, to write golden files and not
// to compare with them.
func Update() bool { return *update }

// Golden compares got with a file of the calling package: name is its path below
// testdata, with slashes. With -update it writes the file.
func Golden(tb testing.TB, name string, got []byte) {
	tb.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if Update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	// A checkout may turn line ends into those of Windows.
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
