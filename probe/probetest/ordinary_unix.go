//go:build unix

package probetest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is the UID of an ordinary user that every system has.
const nobody = 65534

// AsOrdinaryUser returns true in a process of an ordinary user. Root passes every
// permission check, so as root it runs the calling test again as nobody, reports the
// result, and returns false. A test that is skipped there has failed.
func AsOrdinaryUser(tb testing.TB) bool {
	tb.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir := OpenTempDir(tb)
	binary := filepath.Join(dir, "ordinary.test")
	CopySelf(tb, binary, 0o755)
	temp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Chown(temp, nobody, nobody)); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), binary, "-test.run", "^"+regexp.QuoteMeta(tb.Name())+"$", "-test.v", "-test.timeout", "1m")
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + temp, "HOME=" + temp, "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+tb.Name()+" ") {
		tb.Errorf("as an ordinary user: %v\n%s", err, output)
	}
	return false
}

// OpenTempDir is a t.TempDir that other users can enter. A private TMPDIR rules that
// out: then the test is skipped, or with CI set fails.
func OpenTempDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "windsock-test-") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // what lies in it is for others
		tb.Fatal(err)
	}
	for above := filepath.Dir(dir); above != "/"; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			tb.Fatal(err)
		}
		if info.Mode()&0o001 != 0 {
			continue
		}
		Lacks(tb, "a TMPDIR that other users can enter")
	}
	return dir
}

// CopySelf copies the test's own program while nothing is forked: a child that is being
// started would hold the copy open for writing, and the copy could not be started
// (https://go.dev/issue/22315).
func CopySelf(tb testing.TB, to string, mode os.FileMode) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	in, err := os.Open(self)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700) //nolint:gosec // it is to be executed
	if err != nil {
		tb.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), os.Chmod(to, mode)); err != nil {
		tb.Fatal(err)
	}
}
