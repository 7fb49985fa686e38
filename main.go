// Windsock shows how much of a Windsurf plan is left, from the language server
// that the editor already runs.
//
// This file is the composition root: it builds the parts, hands them to the
// commands that the packages bring along, and turns errors into exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe"
	"windsock/probe/simulator"
	"windsock/usage"
)

func main() {
	// The demo starts this program under a language server's name, so that it is
	// found the way a real one is.
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, newRoot(probe.NewFinder), os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes that belong to no package; the others come with their errors.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// lastWords is how long an interrupted command may take to put things away.
const lastWords = time.Second

// run executes a command line, tells on stderr what went wrong, and returns the
// exit code.
func run(ctx context.Context, root *cobra.Command, args []string, stderr io.Writer) int {
	root.SetArgs(args)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }() // ends with the command, or with the process
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		// A command that is blocked in a read does not see the end of ctx; one that
		// has something to put away gets the time for it.
		select {
		case err = <-done:
		case <-time.After(lastWords):
			return exitInterrupted
		}
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	text := err.Error()
	if spoken, ok := errors.AsType[interface {
		error
		Sentence() string
	}](err); ok {
		text = spoken.Sentence()
	}
	if text != "" {
		_, _ = fmt.Fprintln(stderr, "windsock:", text) // a closed stderr cannot be told
	}
	if coded, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return coded.ExitCode()
	}
	return exitFailure
}

// finderFunc makes a Finder; the demo and the tests narrow down where it looks.
type finderFunc func(...probe.Option) *probe.Finder

// newRoot lists the commands.
func newRoot(newFinder finderFunc) *cobra.Command {
	root := &cobra.Command{
		Use:   "windsock",
		Short: "Shows how much of a Windsurf plan is left",
		Long: `Windsock shows how much of a Windsurf (or Devin Desktop) plan is left: prompt
and flex credits, or the daily and weekly quota. It asks the language server that
the editor already runs, on this computer, and talks to nothing else.`,
		Example: `  windsock status          what is left, once
  windsock demo status     the same without Windsurf, from a simulated server`,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		usage.NewStatusCommand(fetcher(newFinder), nil),
		simulator.NewDemoCommand(func(cmd *cobra.Command, demo simulator.Demo, args []string) error {
			inner := newRoot(func(options ...probe.Option) *probe.Finder {
				return newFinder(append(options, probe.WithHome(demo.Home), probe.WithProcesses(demo.Owns))...)
			})
			if itself, _, err := inner.Find([]string{cmd.Name()}); err == nil {
				inner.RemoveCommand(itself)
			}
			inner.SetIn(cmd.InOrStdin())
			inner.SetOut(cmd.OutOrStdout())
			inner.SetErr(cmd.ErrOrStderr())
			inner.SetArgs(args)
			return inner.ExecuteContext(cmd.Context())
		}),
		newVersionCommand(),
	)
	root.InitDefaultCompletionCmd()
	markUsageErrors(root)
	return root
}

// fetcher gives the status command what probe finds.
func fetcher(newFinder finderFunc) usage.Fetch {
	return func(ctx context.Context, variant string) (usage.Reading, error) {
		variants := probe.Variants()
		if variant != "" {
			v, ok := probe.LookupVariant(variant)
			if !ok {
				return usage.Reading{}, &usageError{fmt.Errorf("there is no variant %q; there are windsurf, windsurf-next and windsurf-insiders", variant)}
			}
			variants = []probe.Variant{v}
		}
		raw, session, err := newFinder().UserStatus(ctx, variants)
		var server probe.Server
		if failure, ok := errors.AsType[*probe.Failure](err); ok {
			server = failure.Server()
		}
		if session != nil {
			defer session.Close()
			server = session.Server()
		}
		return usage.Reading{Raw: raw, Variant: server.Variant, App: server.App, PID: server.PID}, err
	}
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "windsock %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}

// version is what the build was stamped with, else the module's version.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// usageError is a command line that means nothing.
type usageError struct{ error }

// ExitCode returns 2.
func (*usageError) ExitCode() int { return exitUsage }

// markUsageErrors makes what cobra finds wrong with a command line a usageError.
func markUsageErrors(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &usageError{err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		markUsageErrors(sub)
	}
}
