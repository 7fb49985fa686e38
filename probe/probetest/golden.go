// Package probetest is shared by the tests of several packages: golden files, what a
// machine has to have, waiting, a terminal, and the step down from root to an ordinary
// user. It knows nothing of the project, and is below probe because every package may
// import probe. Only tests import it.
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

// Update reports whether the tests run with -update: they write golden files instead of
// comparing with them.
func Update() bool { return *update }

// Golden compares got with a file of the calling package. name is its path below
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
	// A checkout may have Windows line ends.
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
