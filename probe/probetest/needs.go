package probetest

import (
	"os"
	"os/exec"
	"testing"
)

// Lacks skips a test for which this machine lacks something. With CI set in the
// environment, where nothing may be missing, it fails the test.
func Lacks(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatal("needs " + what + ", which CI has")
	}
	tb.Skip("needs " + what)
}

// NeedTools is for a test that runs these programs.
func NeedTools(tb testing.TB, names ...string) {
	tb.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			Lacks(tb, name)
		}
	}
}

// NeedRoot is for a test that changes users, mounts or namespaces.
func NeedRoot(tb testing.TB) {
	tb.Helper()
	if os.Getuid() != 0 {
		Lacks(tb, "root")
	}
}

// NeedNetworks is for a test that makes a network namespace: root in a container may not
// be allowed to.
func NeedNetworks(tb testing.TB) {
	tb.Helper()
	if err := exec.CommandContext(tb.Context(), "unshare", "--net", "true").Run(); err != nil {
		Lacks(tb, "network namespaces: "+err.Error())
	}
}
