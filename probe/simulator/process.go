package simulator

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"windsock/probe/simulator/agent"
)

// Options configure how a server process looks from the outside. The zero value is a
// server of today's Windsurf, but Root is required. Config.Antigravity makes it one of
// Antigravity's.
type Options struct {
	// Exe is a program whose main calls Main if IsServer accepts its name. Empty is the
	// running program, which may be a test binary.
	Exe string

	// Root is the directory that stands for the root of the file system; it holds the
	// app tree. It must exist, be on a file system from which programs may be started,
	// and be accessible to the user of the process.
	Root string

	// App is the app's directory below Root, slash-separated. Empty is where the system
	// has it: "usr/share/windsurf" on Linux, or with the IDEName windsurf-next
	// "usr/share/windsurf-next", or a place of Antigravity's.
	App string

	// IDEName is the value of --ide_name; empty leaves the flag out.
	IDEName string

	// Home is the home directory of the process's user. Without it, nothing is kept on
	// disk.
	Home string

	// Token is the place of the CSRF token, and Config.Token its value; if that is
	// empty, Start makes one. Antigravity's is in a flag for any value but TokenNone,
	// and agy's nowhere.
	Token TokenStyle

	// Equals writes flags as --flag=value instead of --flag value.
	Equals bool

	// RunChild makes the process start itself again as a child, which then listens.
	// Antigravity's does not.
	RunChild bool

	// Args and Env are added to the command line and to the environment.
	Args, Env []string

	// Agent puts an agent into the app tree, where Devin Desktop has it (see
	// [AgentPath]). Nil puts none there.
	Agent *agent.Behaviour

	// SysProcAttr is for the operating system: another user, for example.
	SysProcAttr *syscall.SysProcAttr

	// Config configures the responses. Its Now does not reach the process.
	Config Config
}

// startTimeout bounds the wait for the first line of a process after its start, and for
// its end after the end of its input.
const startTimeout = 20 * time.Second

// A Process is a running server process, or the pair of them that RunChild makes.
type Process struct {
	callLog
	toldLog

	ready Ready
	cmd   *exec.Cmd
	done  chan struct{} // closed when all processes have ended

	ask   sync.Mutex // held during a request; guards the two below
	stdin io.Closer  // closing it ends the process
	order *json.Encoder
	syncs int

	answers chan line // from the reading goroutine, which closes it

	mu    sync.Mutex // guards calls
	calls []Call
}

// Start lays out the app tree and starts a server process in it. It returns
// when the server listens. The end of ctx kills the process.
func Start(ctx context.Context, o Options) (*Process, error) {
	o.App = cmp.Or(o.App, o.app())
	if o.Config.Token == "" {
		o.Config.Token = uuid.NewString()
	}
	binary, err := install(o)
	if err != nil {
		return nil, err
	}
	p := &Process{done: make(chan struct{}), answers: make(chan line, 16)}
	p.callLog = callLog{p.callsSoFar}
	stdout, err := p.spawn(ctx, binary, o)
	if err != nil {
		return nil, fmt.Errorf("start simulated server: %w", err)
	}
	go p.read(stdout) // owned by p, ends with the last process

	if err := p.order.Encode(line{Config: &o.Config}); err != nil {
		return nil, errors.Join(fmt.Errorf("configure simulated server: %w", err), p.Kill())
	}
	answer, err := p.answer(ctx)
	switch {
	case err != nil:
	case answer.Error != "":
		err = errors.New(answer.Error)
	case answer.Ready == nil:
		err = errors.New("unexpected first line")
	default:
		p.ready = *answer.Ready
		return p, nil
	}
	return nil, errors.Join(fmt.Errorf("wait for simulated server: %w", err), p.Kill())
}

// Ready describes the server.
func (p *Process) Ready() Ready { return p.ready }

// URL is the base of all RPCs, without a slash at its end.
func (p *Process) URL() string { return baseURL(p.ready.TLS, p.ready.Port) }

// PIDs returns the process that was started, and its child if there is one.
func (p *Process) PIDs() []int {
	if p.ready.ChildPID == 0 {
		return []int{p.ready.PID}
	}
	return []int{p.ready.PID, p.ready.ChildPID}
}

// Done is closed when the process and its child have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Set changes the server's responses from now on.
func (p *Process) Set(ctx context.Context, scenario string, fault Fault) error {
	_, err := p.request(ctx, line{Set: &change{Scenario: scenario, Fault: fault}})
	return err
}

// Oddities are those of [Server.Oddities].
func (p *Process) Oddities(ctx context.Context) ([]time.Time, error) {
	answer, err := p.request(ctx, line{Tell: true})
	return answer.Odd, err
}

// SetTime stops the server's clock at a time.
func (p *Process) SetTime(ctx context.Context, at time.Time) error {
	_, err := p.request(ctx, line{At: at})
	return err
}

// Delete takes a cascade away, as a person may do in the editor.
func (p *Process) Delete(ctx context.Context, cascade string) error {
	_, err := p.request(ctx, line{Delete: cascade})
	return err
}

// Break makes a cascade one whose steps cannot be read, or mends it.
func (p *Process) Break(ctx context.Context, cascade string, broken bool) error {
	order := line{Mend: cascade}
	if broken {
		order = line{Break: cascade}
	}
	_, err := p.request(ctx, order)
	return err
}

// Spent are the steps that the server tells at present, but for those of cascades that
// run.
func (p *Process) Spent(ctx context.Context) ([]Spent, error) {
	answer, err := p.request(ctx, line{Tell: true})
	return answer.Spent, err
}

// Stop ends the process like an editor does, and kills it if that takes too long. It
// returns when the process and its child have ended. It returns nil even if they had
// ended before.
func (p *Process) Stop() error {
	_ = p.stdin.Close() // it may be closed already
	select {
	case <-p.done:
		return nil
	case <-time.After(startTimeout):
		return errors.Join(errors.New("stop simulated server: still running, killed"), p.Kill())
	}
}

// Kill ends the started process at once, like a crash. It returns when the child, if
// there is one, has noticed and ended too.
func (p *Process) Kill() error {
	_ = p.cmd.Process.Kill() // it may have ended already
	select {
	case <-p.done:
		return nil
	case <-time.After(startTimeout):
		return errors.New("kill simulated server: its child outlives it")
	}
}

// callsSoFar are all calls answered so far, in order. After the end of the process they
// are complete.
func (p *Process) callsSoFar() []Call {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	// All calls come before the answer. An error means that the process has ended, and
	// then read has seen all calls, too.
	_, _ = p.request(ctx, line{})
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// request sends an order and waits until it is carried out.
func (p *Process) request(ctx context.Context, order line) (line, error) {
	p.ask.Lock()
	defer p.ask.Unlock()
	p.syncs++
	order.Sync = p.syncs
	if err := p.order.Encode(order); err != nil {
		<-p.done
		return line{}, fmt.Errorf("send to simulated server: %w", err)
	}
	for {
		answer, err := p.answer(ctx)
		switch {
		case err != nil:
			return line{}, fmt.Errorf("send to simulated server: %w", err)
		case answer.Sync != p.syncs: // of an abandoned request
		case answer.Error != "":
			return line{}, errors.New(answer.Error)
		default:
			return answer, nil
		}
	}
}

func (p *Process) answer(ctx context.Context) (line, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case answer, ok := <-p.answers:
		if !ok {
			return line{}, errors.New("it is gone")
		}
		return answer, nil
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

// read reads the output of the processes. It ends with the last process, because the
// child inherits the output.
func (p *Process) read(stdout io.Reader) {
	in := bufio.NewReader(stdout)
	for {
		var event line
		if readLine(in, &event) != nil {
			break
		}
		if event.Told != nil {
			p.hear(*event.Told)
			continue
		}
		if event.Call != nil {
			p.mu.Lock()
			p.calls = append(p.calls, *event.Call)
			p.mu.Unlock()
			continue
		}
		select {
		case p.answers <- event:
		default: // full of answers to abandoned requests
		}
	}
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // only the end matters, not the result
	close(p.answers)
	close(p.done)
}
