package simulator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"windsock/probe/simulator/agent"
)

// Ready describes a server process that answers.
type Ready struct {
	PID      int    `json:"pid"`                 // of the process that was started
	ChildPID int    `json:"child_pid,omitempty"` // of its child, which listens, with RunChild
	Port     int    `json:"port"`
	HTTPPort int    `json:"http_port,omitempty"` // Antigravity's second RPC port, without TLS
	LSPPort  int    `json:"lsp_port"`
	TLS      bool   `json:"tls"`
	Token    string `json:"token"`
}

// A line is one line between starter and server: downwards an order (the first is the
// Config), upwards an event.
type line struct {
	// downwards
	Config *Config   `json:"config,omitempty"`
	Parent int       `json:"parent,omitempty"` // set by a parent that passes the order on to its child
	Set    *change   `json:"set,omitempty"`
	At     time.Time `json:"at,omitzero"`      // stops the clock there
	Delete string    `json:"delete,omitempty"` // a cascade
	Break  string    `json:"break,omitempty"`  // a cascade
	Mend   string    `json:"mend,omitempty"`   // a cascade
	Tell   bool      `json:"tell,omitempty"`   // what is spent
	Sync   int       `json:"sync,omitempty"`   // returned after all calls that came before

	// upwards
	Ready *Ready      `json:"ready,omitempty"`
	Spent []Spent     `json:"spent,omitempty"`
	Odd   []time.Time `json:"odd,omitempty"`
	Call  *Call       `json:"call,omitempty"`
	Told  *Told       `json:"told,omitempty"`
	Error string      `json:"error,omitempty"`
}

type change struct {
	Scenario string `json:"scenario"`
	Fault    Fault  `json:"fault"`
}

// Main is the main function of a server process, of agy, or of an agent; it does not
// return. Its command line and environment are those of a real server. Its orders come on
// standard input, and its events go to standard output, in the form that Start uses. The
// process ends with its standard input, like a real server when the pipe to its editor
// closes: it does not outlive a starter that is killed.
func Main() {
	if agent.Is(programName(os.Args[0])) {
		os.Exit(agent.Main(os.Args[1:]))
	}
	if _, ordered := os.LookupEnv(marker); isAgy(os.Args[0]) && (!ordered || len(os.Args) > 1) {
		os.Exit(runAgy(os.Args[1:]))
	}
	if err := run(os.Args, os.Stdin, &output{w: os.Stdout}); err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
	os.Exit(0)
}

func run(argv []string, stdin io.Reader, out *output) error {
	in := bufio.NewReader(stdin)
	var first line
	if err := readLine(in, &first); err != nil {
		return fmt.Errorf("read config: %w", err)
	}
	if first.Config == nil {
		first.Config = &Config{}
	}
	var err error
	if slices.Contains(argv[1:], "--run_child") {
		err = parent(argv, first, in)
	} else {
		err = serve(argv, first, in, out)
	}
	if err != nil {
		out.write(line{Error: err.Error()})
	}
	return err
}

// parent starts the same program again, without --run_child, and forwards its input. It
// does not listen itself. However it ends, its end closes the child's standard input
// and so ends the child.
func parent(argv []string, first line, in io.Reader) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	child := exec.CommandContext(context.Background(), exe)
	child.Args = slices.DeleteFunc(slices.Clone(argv), func(arg string) bool { return arg == "--run_child" })
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	orders, err := child.StdinPipe()
	if err != nil {
		return fmt.Errorf("start child: %w", err)
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("start child: %w", err)
	}
	first.Parent = os.Getpid()
	go func() { // ends with the input, or with the process
		defer orders.Close() //nolint:errcheck // closing is the message
		if err := json.NewEncoder(orders).Encode(first); err == nil {
			_, _ = io.Copy(orders, in)
		}
	}()
	if err := child.Wait(); err != nil {
		return fmt.Errorf("run child: %w", err)
	}
	return nil
}

// serve runs the server and follows orders until the input ends.
func serve(argv []string, first line, in *bufio.Reader, out *output) error {
	cfg := *first.Config
	if token := os.Getenv(tokenEnv); token != "" && cfg.Antigravity == "" {
		cfg.Token = token
	} else if token := flagValue(argv[1:], "csrf_token"); token != "" {
		cfg.Token = token
	}
	if home := os.Getenv(homeEnv()); home != "" && cfg.Cascade.Dir == "" && cfg.Antigravity == "" {
		cfg.Cascade.Dir = filepath.Join(home, filepath.FromSlash(flagValue(argv[1:], "codeium_dir")))
	}
	var onTold func(Told)
	if cfg.Tells {
		onTold = func(told Told) { out.write(line{Told: &told}) }
	}
	s, err := newServer(cfg, func(call Call) { out.write(line{Call: &call}) }, onTold)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()

	ready := Ready{PID: os.Getpid(), Port: s.Port(), HTTPPort: s.HTTPPort(), LSPPort: s.LSPPort(), TLS: s.cfg.TLS, Token: s.Token()}
	if first.Parent != 0 {
		ready.PID, ready.ChildPID = first.Parent, os.Getpid()
	}
	out.write(line{Ready: &ready})
	for {
		var order line
		if readLine(in, &order) != nil {
			cancel()
			return <-served
		}
		reply := line{Sync: order.Sync}
		if order.Set != nil {
			if err := s.Set(order.Set.Scenario, order.Set.Fault); err != nil {
				reply.Error = err.Error()
			}
		}
		if !order.At.IsZero() {
			s.SetTime(order.At)
		}
		if order.Delete != "" {
			s.Delete(order.Delete)
		}
		if order.Break != "" {
			s.Break(order.Break, true)
		}
		if order.Mend != "" {
			s.Break(order.Mend, false)
		}
		if order.Tell {
			reply.Spent, reply.Odd = s.Spent(), s.Oddities()
		}
		out.write(reply)
	}
}

func readLine(in *bufio.Reader, l *line) error {
	text, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(text, l)
}

// output writes whole lines, from any goroutine.
type output struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

// write loses a line only if its reader is gone; then the end of the input is about to
// end the process.
func (o *output) write(l line) {
	text, err := json.Marshal(l)
	if err != nil {
		return // a date beyond the year 9999 in Config.At, which never comes up here
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.w.Write(append(text, '\n'))
}
