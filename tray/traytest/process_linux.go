package traytest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Process is a program that was started in a session. It leads a process group, which
// ends with the test.
type Process struct {
	cmd  *exec.Cmd
	name string
	log  string        // the file with its output
	done chan struct{} // closed at its end
}

// starter starts processes that end with the test's process, even after SIGKILL. Linux
// offers that as a signal at the death of the *thread* that started them. So all
// starts use one thread, which lives until the session has ended.
type starter struct {
	jobs chan func()
	done chan struct{}
}

func newStarter() *starter {
	s := &starter{jobs: make(chan func()), done: make(chan struct{})}
	go func() { // ends with close
		defer close(s.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

func (s *starter) close() {
	close(s.jobs)
	<-s.done
}

// start starts a command in a group of its own. death is the signal that it gets when
// the test's process ends. Its output goes to a file in dir.
func (s *starter) start(cmd *exec.Cmd, dir string, death syscall.Signal) (*Process, error) {
	p := &Process{cmd: cmd, name: filepath.Base(cmd.Path), done: make(chan struct{})}
	out, err := os.CreateTemp(dir, p.name+"-*.log")
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.log = out.Name()
	if cmd.Stdout == nil {
		cmd.Stdout = out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = out
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	started := make(chan error)
	s.jobs <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	go func() { // ends with the process
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Output is what the process has written so far to the outputs that the command had
// left unset.
func (p *Process) Output() string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(bytes.ToValidUTF8(data, []byte("?")))
}

// WaitOutput waits until the output contains a part.
func (p *Process) WaitOutput(tb testing.TB, part string) {
	tb.Helper()
	wait(tb, fmt.Sprintf("see %s write %q", p.name, part), func() (bool, string) {
		output := p.Output()
		return strings.Contains(output, part), "it wrote:\n" + output
	})
}

// Signal sends a signal to the process only, unless it has ended.
func (p *Process) Signal(tb testing.TB, signal os.Signal) {
	tb.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Fatalf("signal %s: %v", p.name, err)
	}
}

// Wait waits for the end of the process and returns its exit code, or -1 if a signal
// ended it.
func (p *Process) Wait(tb testing.TB) int {
	tb.Helper()
	select {
	case <-p.done:
	case <-time.After(timeLeft(tb)):
		tb.Fatalf("%s has not ended; it wrote:\n%s", p.name, p.Output())
	}
	return p.cmd.ProcessState.ExitCode()
}

// stopTime is the time for an orderly end, even on a busy machine: a killed X server
// leaves its socket behind.
const stopTime = 10 * time.Second

// Stop asks the process to end, kills it after a while, and waits until its whole
// group has ended. An ended process is no error.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(stopTime):
	}
	p.kill()
}

// kill ends the whole group at once and waits until none of it runs. init reaps the
// members other than the process itself, which may take a while.
func (p *Process) kill() {
	group := p.PID()
	_ = syscall.Kill(-group, syscall.SIGKILL)
	<-p.done
	poll(stopTime, 5*time.Millisecond, func() bool {
		return errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) || !groupRuns(group)
	})
}

// groupRuns reports whether a process group has a running member.
func groupRuns(group int) bool {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return false
	}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // ended just now
		}
		// The fields after the name, which may contain anything: state, parent, group.
		_, after, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
		fields := strings.Fields(after)
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}
