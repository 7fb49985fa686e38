package history

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/usage"
)

// ordinaryUser is nobody: root writes what is forbidden.
const ordinaryUser = 65534

// asOrdinaryUser returns true in a process of an ordinary user. As root it runs
// the calling test once more in such a process, reports how that went, and
// returns false.
func asOrdinaryUser(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir := openTempDir(t)
	binary := filepath.Join(dir, "history.test")
	copyExecutable(t, binary)
	temp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Chown(temp, ordinaryUser, ordinaryUser)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "1m")
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + temp, "HOME=" + temp, "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()) {
		t.Errorf("as an ordinary user: %v\n%s", err, output)
	}
	return false
}

// openTempDir is a t.TempDir that other users can enter. Below a private TMPDIR
// there is none.
func openTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "windsock-test-") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for above := filepath.Dir(dir); above != "/"; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&0o001 == 0 {
			lacks(t, "a TMPDIR that other users can enter")
		}
	}
	return dir
}

// copyExecutable copies the test binary, while nothing forks: a process that is
// being started would hold the copy open for writing (https://go.dev/issue/22315).
func copyExecutable(t *testing.T, to string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}

// In a directory that may not be written to, the store works from memory, and
// writes when it may.
func TestReadOnlyDirectory(t *testing.T) {
	if !asOrdinaryUser(t) {
		return
	}
	for _, there := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "history.db")
		want := []int64{1, 2, 3, 4}
		if there {
			want = append([]int64{0}, want...)
			s := New(Config{Path: path})
			s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(0)))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		var log journal
		s := openIn(t, path, time.UTC, &log)
		for i := range 3 {
			h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i+1)*time.Hour), credits(int64(i+1)*credit)))
			equal(t, len(h[usage.PromptCredits]), i+1)
		}
		equal(t, strings.Count(log.String(), "level=WARN"), 1)
		if !strings.Contains(log.String(), "kind=denied") || strings.Contains(log.String(), dir) {
			t.Errorf("log:\n%s", log.String())
		}
		if err := s.Save(t.Context(), "alerts", []byte("x")); kindOf(err) != denied || strings.Contains(err.Error(), dir) {
			t.Errorf("save: %v", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(4*time.Hour), credits(4*credit)))
		equal(t, figures(allSamples(t, path)), want)
	}
}

// A file that root left behind is moved aside; one that is only closed is opened.
func TestFileOfAnother(t *testing.T) {
	if !asOrdinaryUser(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(0)))
	if err := errors.Join(s.Close(), os.Chmod(path, 0)); err != nil {
		t.Fatal(err)
	}
	equal(t, figures(allSamples(t, path)), []int64{0})
	equal(t, stat(t, path).Mode().Perm(), 0o600)
}
