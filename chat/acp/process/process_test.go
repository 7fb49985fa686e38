package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The variables of the programs that a test starts: the test binary itself.
const (
	scriptVariable = "WINDSOCK_TEST_PROCESS" // what it does
	roomVariable   = "WINDSOCK_TEST_ROOM"    // where a Windsock that is killed has its places
)

func TestMain(m *testing.M) {
	if script := os.Getenv(scriptVariable); script != "" {
		play(script)
		return
	}
	os.Exit(m.Run())
}

// play is a program. It tells the number of each process that there is now.
func play(script string) {
	for act := range strings.FieldsSeq(script) {
		switch act {
		case "deaf": // to the end of its input, and to requests to end
			signal.Ignore(signals...)
			defer time.Sleep(time.Minute)
		case "stubborn": // to the end of its input
			defer time.Sleep(time.Minute)
		case "child", "stray":
			cmd := exec.CommandContext(context.Background(), os.Args[0])
			cmd.Env, cmd.Stdout = append(os.Environ(), scriptVariable+"=deaf"), os.Stdout
			if act == "stray" {
				leaveGroup(cmd)
			}
			if err := cmd.Start(); err != nil {
				tell("error", err)
			}
		case "windsock":
			place, err := NewRoom(os.Getenv(roomVariable)).Make(context.Background())
			if err != nil {
				tell("error", err)
				return
			}
			child, err := place.Start(Command{Path: os.Args[0], Env: append(os.Environ(), scriptVariable+"=deaf stray")})
			if err != nil {
				tell("error", err)
				return
			}
			go func() { _, _ = io.Copy(os.Stdout, child.Out) }()
		case "directory":
			dir, err := os.Getwd()
			tell("directory", dir, err)
		case "unread":
			tell("pid", os.Getpid())
			return
		case "ends":
			return
		}
	}
	tell("pid", os.Getpid())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func tell(words ...any) { _, _ = fmt.Fprintln(os.Stdout, words...) }

// begin starts a program, and returns the numbers of its processes.
func begin(t *testing.T, room Room, script string, processes int) (p *Process, pids []int) {
	t.Helper()
	place, err := room.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err = place.Start(Command{Path: self(t), Env: append(os.Environ(), scriptVariable+"="+script)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, told(t, p.Out, processes)
}

func told(t *testing.T, out io.Reader, processes int) (pids []int) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for len(pids) < processes && lines.Scan() {
		var pid int
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err != nil {
			t.Fatalf("it says %q", lines.Text())
		}
		pids = append(pids, pid)
	}
	if len(pids) < processes {
		t.Fatalf("%d processes, %v", len(pids), lines.Err())
	}
	return pids
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// gone waits until no process of these runs.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := 0
		for _, pid := range pids {
			if runs(pid) {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %v still run", left, pids)
		}
	}
}

// left are the places in a room.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestEnd: whatever a program does, it is ended with all that it has started, and its
// directory is removed.
func TestEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script  string
		processes     int
		now           bool // killed
		least, within time.Duration
	}{
		{name: "leaves", processes: 1, script: "leaves", within: eofTime},
		{name: "stubborn", script: "stubborn", processes: 1, least: eofTime, within: eofTime + termTime},
		{name: "deaf", script: "deaf", processes: 1, least: eofTime, within: 4 * time.Second},
		{name: "deaf_killed", script: "deaf", processes: 1, now: true, within: eofTime},
		{name: "child", script: "child", processes: 2, within: eofTime},
		{name: "stray", script: "stray", processes: 2, within: eofTime},
		{name: "deaf_with_all", script: "deaf child stray", processes: 3, least: eofTime, within: 4 * time.Second},
		{name: "all_killed", script: "deaf child stray", processes: 3, now: true, within: eofTime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !finds && strings.Contains(tt.script, "stray") {
				t.Skip("this system does not tell what a program has started")
			}
			dir := filepath.Join(t.TempDir(), "agents")
			p, pids := begin(t, NewRoom(dir), tt.script, tt.processes)
			began := time.Now()
			if tt.now {
				p.Kill()
			} else {
				p.End()
			}
			took := time.Since(began)
			gone(t, pids...)
			if took < tt.least || took > tt.within+5*time.Second { // other tests need the machine, too
				t.Errorf("took %v", took)
			}
			if names := left(t, dir); names != nil {
				t.Errorf("left %q", names)
			}
			select {
			case <-p.Ended():
			default:
				t.Error("has not ended")
			}
		})
	}
}

// TestEndUnread: a program that reads nothing is no obstacle to its end.
func TestEndUnread(t *testing.T) {
	t.Parallel()
	p, pids := begin(t, NewRoom(t.TempDir()), "deaf unread", 1)
	written := make(chan error)
	go func() {
		_, err := p.In.Write(make([]byte, 1<<20))
		written <- err
	}()
	select {
	case err := <-written:
		t.Fatalf("it has read all: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	p.Kill()
	gone(t, pids...)
	if err := <-written; err == nil {
		t.Error("it has read all")
	}
}

// TestEndsByItself: the group of a program ends with it.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	p, _ := begin(t, NewRoom(t.TempDir()), "child ends", 0)
	select {
	case <-p.Ended():
	case <-time.After(10 * time.Second):
		t.Fatal("it runs")
	}
	if text, err := io.ReadAll(p.Out); err != nil { // which ends when nobody holds it open
		t.Errorf("%q, %v", text, err)
	}
}

// TestKilled: what a killed Windsock leaves is gone after the next one's start.
func TestKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("this system ends no child with its parent")
	}
	dir := filepath.Join(t.TempDir(), "agents")
	windsock := exec.CommandContext(t.Context(), self(t))
	windsock.Env = append(os.Environ(), scriptVariable+"=windsock", roomVariable+"="+dir)
	in, err := windsock.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := windsock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := windsock.Start(); err != nil {
		t.Fatal(err)
	}
	pids := told(t, out, 3)
	if names := left(t, dir); len(names) != 1 {
		t.Fatalf("places %q", names)
	}
	room := NewRoom(dir)
	if err := room.Sweep(t.Context()); err != nil || len(left(t, dir)) != 1 {
		t.Errorf("the place of a Windsock that runs is gone: %v", err)
	}
	if err := windsock.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = windsock.Wait()
	if err := room.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	gone(t, pids...)
	if names := left(t, dir); names != nil {
		t.Errorf("left %q", names)
	}
}
