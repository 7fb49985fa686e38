//go:build unix

package instance

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A cleaner of old files may take the lock file away, and the next instance makes
// its own. The first one's Release must leave that one alone.
func TestReleaseLeavesAnothersFile(t *testing.T) {
	dir := t.TempDir()
	first := acquire(t, dir)
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	second := acquire(t, dir)
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	if _, err := Acquire(dir); !errors.Is(err, ErrRunning) {
		t.Errorf("the second one's lock is lost: %v", err)
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
	assertEmpty(t, dir)
}

func TestReleaseOfARemovedFile(t *testing.T) {
	dir := t.TempDir()
	l := acquire(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}

// A link, even one that leads nowhere yet, would put the lock elsewhere.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	if err := os.Symlink(path+".elsewhere", path); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, dir, "not a regular file")
}

// A pipe must not make Acquire hang, whether or not somebody has it open.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, fileName), 0o600); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, dir, "not a regular file")
}

func TestForbidden(t *testing.T) {
	if !asOrdinaryUser(t) {
		return
	}
	for _, tt := range []struct {
		name  string
		spoil func(dir string) error
	}{
		{"unreadable", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileName), nil, 0o200)
		}},
		{"read_only", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileName), nil, 0o400)
		}},
		{"directory_not_writable", func(dir string) error { return os.Chmod(dir, 0o500) }},
		{"directory_not_searchable", func(dir string) error { return os.Chmod(dir, 0o000) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "lock")
			if err := errors.Join(os.Mkdir(dir, 0o700), tt.spoil(dir)); err != nil {
				t.Fatal(err)
			}
			assertUnusable(t, dir, "permission denied")
			_ = os.Chmod(dir, 0o700) // so that the test can tidy up
		})
	}
}

func TestDirectoryInTheWay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, filepath.Join(file, "windsock"), "not a directory")
}

// asOrdinaryUser returns true in a process of an ordinary user. As root, whom
// nothing is forbidden, it runs the calling test once more as nobody, reports how
// that went, and returns false.
func asOrdinaryUser(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	const nobody = 65534
	dir := openTempDir(t)
	binary := filepath.Join(dir, "instance.test")
	copySelf(t, binary)
	temp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Chown(temp, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "1m")
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + temp, "HOME=" + temp, "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
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
		if info.Mode()&0o001 == 0 && os.Getenv("CI") == "" {
			t.Skip("needs a TMPDIR that other users can enter")
		}
	}
	return dir
}

// copySelf copies the test binary. No process may be forked meanwhile: it would
// hold the copy open for writing, and it could not be started
// (https://go.dev/issue/22315).
func copySelf(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(self)
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
	if err := errors.Join(err, out.Close(), os.Chmod(to, 0o755)); err != nil {
		t.Fatal(err)
	}
}
