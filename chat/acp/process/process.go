// Package process runs an agent's program for the length of a few prompts: in an empty
// directory of its own, with few of the person's variables, and so that it ends with all
// that it has started.
//
// What a killed Windsock leaves behind, the next one finds and ends: a directory that
// nobody holds the lock of, and every process with that directory's mark in its
// environment. Windows needs no mark, since it ends the processes of a job with the
// program that made the job.
//
// None of this is a wall. A program may leave its group and drop its environment.
package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"windsock/probe/redact"
)

// markVariable is the variable that has the name of a place. It is in the environment
// of an agent, and of all that the agent starts.
const markVariable = "WINDSOCK_AGENT"

const (
	// eofTime is how long a program has to end after the end of its input, and termTime
	// after it was told to.
	eofTime  = time.Second
	termTime = time.Second
	// killTime is how long the system has to end killed processes.
	killTime = time.Second
)

// Command is what to run. No text of a prompt belongs in it: other users see Args, and
// a script of Windows reads them once more.
type Command struct {
	Path string // absolute
	Args []string
	Env  []string
}

// Process is a running program. Its methods may be called from several goroutines.
type Process struct {
	In  io.WriteCloser // what it reads
	Out io.ReadCloser  // what it writes

	place *Place
	group group
	ended chan struct{}
	state *os.ProcessState // set before ended is closed
	once  sync.Once
}

// Start runs a program in a place, which the Process then owns. After an error the place
// is removed.
func (p *Place) Start(c Command) (*Process, error) {
	in, toChild, err := os.Pipe()
	if err != nil {
		p.Remove()
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	fromChild, out, err := os.Pipe()
	if err != nil {
		closeAll(in, toChild)
		p.Remove()
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	// What it writes to its standard error may hold anything, and nobody reads it.
	cmd := &exec.Cmd{
		Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: p.Work,
		Env: append(c.Env, markVariable+"="+p.mark), Stdin: in, Stdout: out,
	}
	child := &Process{In: toChild, Out: fromChild, place: p, ended: make(chan struct{})}
	started := make(chan error)
	go child.run(cmd, started)
	err = <-started
	closeAll(in, out) // the child has its own
	if err != nil {
		closeAll(toChild, fromChild)
		p.Remove()
		return nil, fmt.Errorf("run program: %w", redact.Path(err))
	}
	return child, nil
}

// Ended is closed at the end of the program itself.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Succeeded reports whether the program has ended by itself, and said that all went
// well.
func (p *Process) Succeeded() bool {
	select {
	case <-p.ended:
		return p.state.Success()
	default:
		return false
	}
}

// End ends the program, kindly at first: it closes its input, then tells it to end, then
// kills it, with a second between. All that it has started is killed, and its place
// removed. End returns when that is done.
func (p *Process) End() { p.once.Do(func() { p.finish(false) }) }

// Kill is End without patience.
func (p *Process) Kill() { p.once.Do(func() { p.finish(true) }) }

// run starts the program and waits for its end. Linux ends the child of a thread with
// that thread, so the goroutine keeps its thread that long.
func (p *Process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	group, err := startGroup(cmd)
	p.group = group
	started <- err
	if err != nil {
		return
	}
	_ = cmd.Wait() // the state has it
	p.state = cmd.ProcessState
	// At once, while its number cannot be another's.
	p.group.kill()
	close(p.ended)
}

func (p *Process) finish(now bool) {
	// Windows closes nothing that is being written to, until somebody has read it.
	go func() { _ = p.In.Close() }()
	if !now && !p.within(eofTime) && p.group.terminate() {
		p.within(termTime)
	}
	select {
	case <-p.ended:
	default:
		p.group.kill()
		p.within(killTime)
	}
	killMarked(p.place.mark)
	p.group.close()
	_ = p.Out.Close() // it was only read
	p.place.Remove()
}

func (p *Process) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written
	}
}
