package simulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// Demo is an editor that is not there: a simulated server, and a home directory
// in which somebody has signed in.
type Demo struct {
	// Home has a data directory below .config.
	Home string
	// Owns reports whether a process belongs to the demo.
	Owns func(pid int) bool
}

// NewDemoCommand is `windsock demo [COMMAND…]`. It calls run with the command
// line behind its own flags while a simulated server runs in a temporary place;
// afterwards nothing of either is left.
func NewDemoCommand(run func(cmd *cobra.Command, demo Demo, args []string) error) *cobra.Command {
	var scenario string
	cmd := &cobra.Command{
		Use:   "demo [flags] [command]",
		Short: "Run a command against a simulated editor",
		Long: `Run a command (status, if none is named) against a language server that is
simulated, for a look at Windsock without Windsurf. All figures are made up.

Scenarios:
` + scenarioTable(),
		Example: `  windsock demo status
  windsock demo --scenario quota_tight status --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := scenarioNamed(scenario); err != nil {
				return &scenarioError{err}
			}
			if len(args) == 0 {
				args = []string{"status"}
			}
			return demonstrate(cmd.Context(), scenario, func(demo Demo) error {
				// On stderr, so that what is piped is the command's own.
				cmd.PrintErrf("windsock demo: figures of a simulated server (%s), made up\n", scenario)
				return run(cmd, demo, args)
			})
		},
	}
	cmd.Flags().StringVar(&scenario, "scenario", scenarios[0].Name, "the account to simulate")
	cmd.Flags().SetInterspersed(false) // what follows the command is the command's
	return cmd
}

func scenarioTable() string {
	var table strings.Builder
	for _, s := range scenarios {
		fmt.Fprintf(&table, "  %-24s %s\n", s.Name, s.About)
	}
	return table.String()
}

// scenarioError is a --scenario that there is not.
type scenarioError struct{ error }

// ExitCode is that of a command line that means nothing.
func (*scenarioError) ExitCode() int { return 2 }

func demonstrate(ctx context.Context, scenario string, run func(Demo) error) (err error) {
	dir, err := os.MkdirTemp("", "windsock-demo-")
	if err != nil {
		return fmt.Errorf("make a place for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	home := filepath.Join(dir, "home")
	auth := Auth{Key: "sk-ws-01-demo-" + uuid.NewString()}
	if err := SignIn(filepath.Join(home, ".config", "Windsurf"), auth); err != nil {
		return err
	}
	server, err := Start(ctx, Options{
		Root: dir, IDEName: "windsurf", RunChild: true, Config: Config{Scenario: scenario},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	pids := server.PIDs()
	return run(Demo{Home: home, Owns: func(pid int) bool { return slices.Contains(pids, pid) }})
}
