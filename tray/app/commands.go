// Package app is the composition root: it builds the parts, hands them to the
// commands that the packages bring along, and turns errors into exit codes.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat/openai"
	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator/demo"
	"windsock/tray/settings"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/status"
)

// Main runs the process's own command line and returns the exit code.
func Main() int {
	return live(surroundings{newFinder: probe.NewFinder, putAway: new(grace)})
}

// live runs the process's own command line until it ends or a signal ends it,
// and returns the exit code.
func live(s surroundings) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	// A command that is blocked in a read does not see the end of ctx; one that
	// has something to put away gets the time for it. A second signal does what it
	// does to any program.
	defer context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(s.putAway.time())
		os.Exit(exitInterrupted)
	})()
	return run(ctx, newRoot(s), os.Args[1:], os.Stderr)
}

// Exit codes that belong to no package; the others come with their errors.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// lastWords is how long an interrupted command may take to put things away, where
// it does not ask for more.
const lastWords = time.Second

// grace is what the running command asks for; nil is nothing.
type grace struct{ asked atomic.Int64 }

func (g *grace) allow(d time.Duration) {
	if g != nil {
		g.asked.Store(int64(d))
	}
}

func (g *grace) time() time.Duration {
	if g == nil {
		return lastWords
	}
	return max(lastWords, time.Duration(g.asked.Load()))
}

// run executes a command line, tells on stderr what went wrong, and returns the
// exit code.
func run(ctx context.Context, root *cobra.Command, args []string, stderr io.Writer) int {
	root.SetArgs(args)
	err := root.ExecuteContext(ctx) // on this goroutine: macOS shows a menu from the first one only
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if text := sentence(err); text != "" {
		_, _ = fmt.Fprintln(stderr, "windsock:", text) // a closed stderr cannot be told
	}
	return say.Exit(err)
}

// sentence is what an error says to people.
func sentence(err error) string {
	return say.Sentence(err, err.Error())
}

// surroundings are what the commands find around them: the machine, or a demo's
// or a test's share of it.
type surroundings struct {
	newFinder func(...probe.Option) *probe.Finder
	// interval is how often the app asks, if it is not for the configuration to
	// say.
	interval time.Duration
	// demo is nil outside the demo.
	demo *demo.Demo
	// clock is time.Now where it is nil.
	clock func() time.Time
	// putAway is told how long a command needs after an interrupt.
	putAway *grace
}

// newRoot lists the commands.
func newRoot(s surroundings) *cobra.Command {
	var headless, printVersion bool
	root := &cobra.Command{
		Use:   "windsock",
		Short: "Shows how much of a Windsurf plan is left",
		Long: `Windsock shows how much of a Windsurf (or Devin Desktop) plan is left: prompt
and flex credits, or the daily and weekly quota. It asks the language server that
the editor already runs, on this computer, and talks to nothing else.

Without a command, it shows an icon in the menu bar or the system tray.`,
		Example: `  windsock                 the icon
  windsock status          what is left, once
  windsock demo            the same without Windsurf, from a simulated server`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return writeVersion(cmd)
			}
			launch, err := s.launch()
			if err != nil {
				return err
			}
			launch.Headless, launch.Stdout, launch.Stderr = headless, cmd.OutOrStdout(), cmd.ErrOrStderr()
			s.putAway.allow(max(windowGrace, openai.ShutdownTime)) // the app has both
			return launch.Run(cmd.Context())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolVar(&headless, "headless", false, "poll and log without an icon, where there is no desktop")
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	root.AddCommand(s.newStatusCommand(), s.newDoctorCommand(), s.newPromptCommand(), s.newServeCommand(), newVersionCommand())
	root.AddCommand(s.newChatCommands()...)
	if s.demo == nil { // which has nothing of the person's in it, and no second demo
		root.AddCommand(
			history.NewCommand(func() (*history.Store, error) { return s.history(slog.New(slog.DiscardHandler)), nil }),
			settings.NewCommand(configFile),
			demo.NewCommand(s.runDemo),
		)
	} else {
		root.AddCommand(outsideDemo("history"), outsideDemo("config"), outsideDemo("demo"))
	}
	explainUsage(root)
	s.complete(root)
	root.AddCommand(docsCommands()...)
	return root
}

// outsideDemo is a command that a demo lacks, so that it is not said to be unknown.
func outsideDemo(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return &usageError{fmt.Errorf("a demo has no %s of its own; without demo in front of it, windsock %[1]s is yours", name)}
		},
	}
}

// runDemo runs a command line inside a demo.
func (s surroundings) runDemo(cmd *cobra.Command, demo demo.Demo, args []string) error {
	inner := newRoot(s.within(demo))
	inner.SetIn(cmd.InOrStdin())
	inner.SetOut(cmd.OutOrStdout())
	inner.SetErr(cmd.ErrOrStderr())
	inner.SetArgs(args)
	return inner.ExecuteContext(cmd.Context())
}

// within are the surroundings inside a demo.
func (s surroundings) within(demo demo.Demo) surroundings {
	return surroundings{
		newFinder: func(options ...probe.Option) *probe.Finder {
			return s.newFinder(append(options, probe.WithDirs(signin.Below(demo.Home)), probe.WithProcesses(demo.Owns))...)
		},
		demo:    &demo,
		clock:   s.clock,
		putAway: s.putAway,
	}
}

// fetch gives the usage package what probe finds.
func (s surroundings) fetch(ctx context.Context, variant string) (poll.Reading, error) {
	variants, err := variantsOf(variant)
	if err != nil {
		return poll.Reading{}, err
	}
	raw, session, err := s.newFinder().UserStatus(ctx, variants)
	var server probe.Server
	if failure, ok := errors.AsType[*probe.Failure](err); ok {
		server = failure.Server()
	}
	if session != nil {
		defer session.Close()
		server = session.Server()
	}
	return poll.Reading{Raw: raw, Variant: server.Variant, App: server.App, PID: server.PID}, err
}

// variantsOf are the editors that a name stands for; "" stands for all.
func variantsOf(name string) ([]probe.Variant, error) {
	if name == "" {
		return probe.Variants(), nil
	}
	v, ok := probe.LookupVariant(name)
	if !ok {
		return nil, &usageError{fmt.Errorf("there is no variant %q; there are windsurf, windsurf-next and windsurf-insiders", name)}
	}
	return []probe.Variant{v}, nil
}

// recall gives the usage package what editors keep for the time that they do
// not run.
func (s surroundings) recall(ctx context.Context, variant string) iter.Seq2[poll.Cached, error] {
	return func(yield func(poll.Cached, error) bool) {
		variants, err := variantsOf(variant)
		if err != nil {
			return // which the fetch before has told
		}
		for c, err := range s.newFinder().Caches(ctx, variants) {
			reading := poll.Reading{Raw: c.Raw, Variant: c.Server.Variant, App: c.Server.App}
			if !yield(poll.Cached{Reading: reading, Name: c.Name}, err) {
				return
			}
		}
	}
}

// usageConfig is what the configuration says of the figures. A demo's are not
// the person's.
func (s surroundings) usageConfig() (status.Config, error) {
	if s.demo != nil {
		return status.DefaultConfig(), nil
	}
	c, err := loadConfig()
	return c.Usage, err
}
