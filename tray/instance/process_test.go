package instance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary is also the other process: with this variable it does what its
// value says, in the directory that it is started in.
const roleVar = "WINDSOCK_INSTANCE_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "hold":
		hold()
	case "race":
		if err := race(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
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

// wins is how often each racing process has to get the lock.
const wins = 25

// race takes and releases the lock over and over. While it has it, a witness that
// only one process can make at a time must be its own.
func race() error {
	late := time.Now().Add(90 * time.Second)
	for got := 0; got < wins; {
		if time.Now().After(late) {
			return fmt.Errorf("got the lock only %d times", got)
		}
		l, err := Acquire("lock")
		if errors.Is(err, ErrRunning) {
			continue
		}
		if err != nil {
			return err
		}
		f, err := os.OpenFile("witness", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("held twice at once: %w", err)
		}
		if err := errors.Join(f.Close(), os.Remove("witness"), l.Release()); err != nil {
			return err
		}
		got++
	}
	return nil
}

func command(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The race detector would have each process wait for a second at its end.
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0")
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
	h := &holder{cmd: command(t, "hold", dir)}
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
	want := "already running (PID " + strconv.Itoa(first.cmd.Process.Pid) + ")"
	if second := startHolder(t, dir); second.said != want {
		t.Errorf("second: %q, want %q", second.said, want)
	}
	if other := startHolder(t, t.TempDir()); other.said != "held" {
		t.Errorf("in another directory: %q", other.said)
	}
	first.quit(t)
	assertEmpty(t, dir)
	if third := startHolder(t, dir); third.said != "held" {
		t.Errorf("after the first has quit: %q", third.said)
	}
}

func TestKilledProcessIsNoObstacle(t *testing.T) {
	dir := t.TempDir()
	killed := startHolder(t, dir)
	killed.kill()
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Fatalf("nothing was left behind: %v", err)
	}
	next := startHolder(t, dir)
	if next.said != "held" {
		t.Fatalf("after a kill: %q", next.said)
	}
	want := "already running (PID " + strconv.Itoa(next.cmd.Process.Pid) + ")"
	if third := startHolder(t, dir); third.said != want {
		t.Errorf("third: %q, want %q", third.said, want)
	}
	next.quit(t)
	assertEmpty(t, dir)
}

func TestRace(t *testing.T) {
	dir := t.TempDir()
	processes := make([]*exec.Cmd, 8)
	said := make([]strings.Builder, len(processes))
	for i := range processes {
		processes[i] = command(t, "race", dir)
		processes[i].Stdout = &said[i]
		if err := processes[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range processes {
		if err := p.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, said[i].String())
		}
	}
	assertEmpty(t, filepath.Join(dir, "lock"))
}

func assertEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("left behind: %s", f.Name())
	}
}
