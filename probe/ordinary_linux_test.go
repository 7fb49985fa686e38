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

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// startCommand starts a server process in a way that simulator.Start does not support,
// and waits for its first output.
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

// An unreadable state.vscdb is reported as such, and not as a sign-out.
func TestUnreadableState(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "Windsurf")
	if err := simtest.SignIn(dir, simtest.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "User", "globalStorage", "state.vscdb"), 0); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, simulator.Options{})
	servers := []*simulator.Process{server}
	finder := realFinder(t, &servers)
	finder.dirs = signin.Below(home)
	_, _, err := finder.UserStatus(t.Context(), Variants())
	failure, ok := errors.AsType[*Failure](err)
	if !ok || say.Sentence(failure, "") != "Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: permission denied. Sign in to Windsurf, then try again." {
		t.Errorf("UserStatus: %v", err)
	}
}

// A process that hides its environment, as one started from an unreadable file does, is
// reported differently from one without a token.
func TestHiddenEnvironment(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	binary := filepath.Join(t.TempDir(), "language_server_linux_x64")
	probetest.CopySelf(t, binary, 0o111)
	cmd := exec.Command(binary, "--ide_name", "windsurf")
	cmd.Env = []string{"WINDSURF_CSRF_TOKEN=" + testToken}
	startCommand(t, cmd)
	finder := NewFinder(WithDirs(signin.Below(t.TempDir())), WithProcesses(func(pid int) bool { return pid == cmd.Process.Pid }))
	_, _, err := finder.UserStatus(t.Context(), Variants())
	failure, ok := errors.AsType[*Failure](err)
	if !ok || failure.code != NoToken || !errors.Is(err, syscall.EACCES) || !strings.Contains(say.Sentence(failure, ""), ": permission denied. Run Windsock as the user") {
		t.Errorf("UserStatus: %v", err)
	}
}
