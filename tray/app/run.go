// Package app is the composition root: it builds the parts, passes them to the
// packages' commands, and maps errors to exit codes.
package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe"
	"windsock/probe/say"
)

// Options are what a test changes. The zero value is the real machine.
type Options struct {
	// NewFinder finds the test's servers.
	NewFinder func(...probe.Option) *probe.Finder
	// Interval is the app's poll interval.
	Interval time.Duration
	// Now is the clock of the commands.
	Now func() time.Time
}

// Main runs the process's own command line and returns the exit code.
func Main(o Options) int {
	p := personal()
	if o.NewFinder != nil {
		p.newFinder = o.NewFinder
	}
	if o.Now != nil {
		p.clock, p.serverNow = o.Now, o.Now
	}
	p.interval = o.Interval
	return p.main()
}

// main runs the process's own command line until it ends or a signal ends it,
// and returns the exit code.
func (p parts) main() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // set by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	// It is not stopped at the end: the process ends anyway, and stopping it takes two
	// threads by turns, for each signal.
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// A command that is blocked in a read does not see the end of ctx. A command with
	// work to finish gets the time for it. A second signal acts as in any program.
	defer context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(p.deadline.time())
		os.Exit(say.ExitInterrupted)
	})()
	return run(ctx, newRoot(p), os.Args[1:], os.Stderr)
}

// shortDeadline is how long an interrupted command may take to end, unless it asks for
// more.
const shortDeadline = time.Second

// deadline is how long the running command may take to end after an interrupt.
type deadline struct{ asked atomic.Int64 }

// extend requests a time; a nil deadline ignores it.
func (d *deadline) extend(by time.Duration) {
	if d != nil {
		d.asked.Store(int64(by))
	}
}

func (d *deadline) time() time.Duration {
	if d == nil {
		return shortDeadline
	}
	return max(shortDeadline, time.Duration(d.asked.Load()))
}

// run executes a command line, reports an error on stderr, and returns the exit code.
func run(ctx context.Context, root *cobra.Command, args []string, stderr io.Writer) int {
	root.SetArgs(args)
	err := root.ExecuteContext(ctx) // on this goroutine: macOS shows a menu from the first one only
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		return say.ExitInterrupted
	}
	if text := say.Sentence(err, err.Error()); text != "" {
		_, _ = fmt.Fprintln(stderr, "windsock:", text) // a closed stderr cannot be written to
	}
	return say.Exit(err)
}
