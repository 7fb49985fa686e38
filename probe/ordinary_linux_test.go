package probe

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"windsock/probe/simulator"
)

// ordinaryUser is nobody: root reads what is forbidden, so a test of what is
// forbidden must not be root.
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
	binary := filepath.Join(dir, "probe.test")
	copyExecutable(t, binary, 0o755)
	temp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Chown(temp, ordinaryUser, ordinaryUser)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "1m")
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
		if info.Mode()&0o001 == 0 && os.Getenv("CI") == "" {
			t.Skip("needs a TMPDIR that other users can enter")
		}
	}
	return dir
}

// copyExecutable copies the test binary. It waits until the copy can be started:
// a process that another test is forking may still hold it open for writing
// (https://go.dev/issue/22315).
func copyExecutable(t *testing.T, to string, mode os.FileMode) {
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
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), os.Chmod(to, mode)); err != nil {
		t.Fatal(err)
	}
}

// startCommand starts a server process that simulator.Start has no way to make,
// and waits for its first word.
func startCommand(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if _, err := io.WriteString(stdin, "{}\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// A state.vscdb that may not be read is told as that, and not as a sign-out.
func TestUnreadableState(t *testing.T) {
	if !asOrdinaryUser(t) {
		return
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "Windsurf")
	if err := simulator.SignIn(dir, simulator.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(statePath(filepath.Join(home, ".config"), "Windsurf"), 0); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, simulator.Options{})
	servers := []*simulator.Process{server}
	finder := realFinder(t, &servers)
	finder.where = places{config: filepath.Join(home, ".config"), home: home}
	_, err := finder.Find(t.Context(), Variants())
	failure, ok := errors.AsType[*Failure](err)
	if !ok || failure.Sentence() != "Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: permission denied. Sign in to Windsurf, then try again." {
		t.Errorf("Find: %v", err)
	}
}

// A process that hides its environment, as one started from an unreadable file
// does, is told apart from one without a token.
func TestHiddenEnvironment(t *testing.T) {
	if !asOrdinaryUser(t) {
		return
	}
	binary := filepath.Join(t.TempDir(), "language_server_linux_x64")
	copyExecutable(t, binary, 0o111)
	cmd := exec.Command(binary, "--ide_name", "windsurf")
	cmd.Env = []string{"WINDSURF_CSRF_TOKEN=" + testToken}
	startCommand(t, cmd)
	finder := NewFinder(WithHome(t.TempDir()), WithProcesses(func(pid int) bool { return pid == cmd.Process.Pid }))
	_, err := finder.Find(t.Context(), Variants())
	failure, ok := errors.AsType[*Failure](err)
	if !ok || failure.code != NoToken || !errors.Is(err, syscall.EACCES) || !strings.Contains(failure.Sentence(), ": permission denied. Run Windsock as the user") {
		t.Errorf("Find: %v", err)
	}
}

// A pipe in place of a file must not be waited for.
func TestFindKeysRefusesPipes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	where := places{config: filepath.Join(home, ".config"), home: home}
	for _, file := range []string{statePath(where.config, "Windsurf"), filepath.Join(home, ".codeium", "config.json")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := keysOf(findKeyPlaces(t.Context(), where, variants[0], ""))
	want := "Windsurf/User/globalStorage/state.vscdb: it is no regular file\n.codeium/config.json: it is no regular file"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}
