package instance

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The test binary is also the other process: with this variable it holds the lock of
// the directory that it is started in.
const holderVar = "WINDSOCK_INSTANCE_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holderVar) == "" {
		os.Exit(m.Run())
	}
	hold()
}

// hold takes the lock, says how that went, and keeps it until its input ends.
func hold() {
	l, err := Acquire(".")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := l.Release(); err != nil {
		fmt.Println(err)
	}
}

func command(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The race detector would have each process wait for a second at its end.
	cmd.Env = append(os.Environ(), holderVar+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.Dir = dir
	return cmd
}

// holder is another process that tried to take the lock.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
	said  string
}

func startHolder(t *testing.T, dir string) *holder {
	t.Helper()
	h := &holder{cmd: command(t, dir)}
	var err error
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.cmd.Process.Kill()
		_ = h.cmd.Wait()
	})
	h.out = bufio.NewReader(out)
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	h.said = strings.TrimSpace(line)
	return h
}

// quit lets the process release the lock and end.
func (h *holder) quit(t *testing.T) {
	t.Helper()
	_ = h.stdin.Close()
	rest, _ := io.ReadAll(h.out)
	if err := h.cmd.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("quit: %v, said %q", err, rest)
	}
}

func (h *holder) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

func TestSecondProcessIsTold(t *testing.T) {
	dir := t.TempDir()
	first := startHolder(t, dir)
	if first.said != "held" {
		t.Fatalf("first: %s", first.said)
	}
	want := "Windsock is already running (PID " + strconv.Itoa(first.cmd.Process.Pid) + ")."
	if second := startHolder(t, dir); second.said != want {
		t.Errorf("second: %q, want %q", second.said, want)
	}
	if other := startHolder(t, t.TempDir()); other.said != "held" {
		t.Errorf("in another directory: %q", other.said)
	}
	first.quit(t)
	if third := startHolder(t, dir); third.said != "held" {
		t.Errorf("after the first has quit: %q", third.said)
	}
}

func TestKilledProcessIsNoObstacle(t *testing.T) {
	dir := t.TempDir()
	killed := startHolder(t, dir)
	killed.kill()
	next := startHolder(t, dir)
	if next.said != "held" {
		t.Fatalf("after a kill: %q", next.said)
	}
	want := "Windsock is already running (PID " + strconv.Itoa(next.cmd.Process.Pid) + ")."
	if third := startHolder(t, dir); third.said != want {
		t.Errorf("third: %q, want %q", third.said, want)
	}
	next.quit(t)
}
