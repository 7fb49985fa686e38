package probetest

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Nobody is a user who is not the one that runs the tests.
const Nobody = 65534

// Curl is what curl prints with these arguments, run by a user of that number.
func Curl(tb testing.TB, uid int, args ...string) string {
	tb.Helper()
	NeedTools(tb, "curl")
	cmd := exec.CommandContext(tb.Context(), "curl", append([]string{"-s", "-m", "60"}, args...)...)
	cmd.Dir = "/"
	if uid != os.Getuid() {
		NeedRoot(tb)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}} //nolint:gosec // one of two
	}
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}
