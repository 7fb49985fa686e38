// Package demo is `windsock demo`: the app beside simulated editors with signed-in
// users. Package account defines the accounts.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/agent"
	"windsock/probe/simulator/cloud"
)

// Demo is a simulated editor, or several: their servers, and the home directory of a
// person who is signed in to each of them.
type Demo struct {
	// Home has a data directory for each editor below .config, and Windsurf's cascades,
	// most of them stale, below .codeium/windsurf.
	Home string
	// Owns reports whether a process belongs to the demo.
	Owns func(pid int) bool
	// Now is the clock of the server's dates. It runs Speed times faster than real
	// time. Without a time-lapse they are time.Now and 1.
	Now   func() time.Time
	Speed float64
	// Transport leads to simulated services of the makers, whatever the host, and to
	// nothing else. They know every sign-in of the demo.
	Transport http.RoundTripper
	// Allow are the sign-ins that the person has allowed to ask with, as the settings
	// have them.
	Allow []string
}

// NewCommand is `windsock demo [COMMAND…]`. It calls run while simulated servers run
// in a temporary directory, and removes both afterwards. The arguments are the command
// line behind demo's own flags, and may be empty. Without a command line, or with
// --lapse, the servers and the demo's clock run in a time-lapse.
func NewCommand(run func(cmd *cobra.Command, demo Demo, args []string) error) *cobra.Command {
	var name string
	var lapse bool
	cmd := &cobra.Command{
		Use:   "demo [flags] [command]",
		Short: "Run Windsock against a simulated editor",
		Long: `Run a command, or the tray app if you name none, against a simulated language server, to
see Windsock without Windsurf. All figures are made up.

The app shows a time-lapse: a billing cycle, or the five hours, the day or the week of a
quota, takes a minute. What is left is used up evenly, and resets bring it back, again and
again. By default credits run low after a quarter of a minute, flex credits take over, and
the reset comes at half a minute. acu stays on course; quota_tight and quota_debt go on at
extra cost. Several plans have one clock. With --lapse=false the figures stand still. They
do so, too, for a command without --lapse, and in the scenarios cloud and cursor, because
a service is asked only every few minutes.

The simulator answers a prompt itself, and says so. The cost is taken from the account. The
word turn:NAME in a prompt asks for another course, such as turn:rewrite or
turn:error_quota. The agent of the scenario agent takes nothing from the account; turn:acts
and turn:quota are two of its courses.

Other clients of a language server find this one, too. A released build speaks HTTP/1.1
alone: clients can ask it by Connect, but not by gRPC, which needs HTTP/2.

Scenarios:
` + scenarioTable(),
		Example: `  windsock demo
  windsock demo status
  windsock demo --scenario quota_tight status --json
  windsock demo --lapse status --watch --interval 10s`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			scenario, err := lookUp(name)
			if err != nil {
				return err
			}
			speed, err := scenario.speed()
			if err != nil {
				return err
			}
			switch {
			case !cmd.Flags().Changed("lapse"):
				lapse = len(args) == 0
			case lapse && speed == 0:
				return say.Usage("the scenario %s has no time-lapse, for a service is asked every few minutes only", name)
			}
			var clock account.Lapse
			if lapse && speed > 0 {
				clock = account.NewLapse(time.Now(), speed)
			}
			return scenario.demonstrate(cmd.Context(), clock, func(demo Demo) error {
				// On stderr, so that a pipe gets the command's output only.
				cmd.PrintErrf("windsock demo: figures of a simulated server (%s), made up\n", name)
				// Not nil: cobra would then use the arguments of the process.
				return run(cmd, demo, append([]string{}, args...))
			})
		},
	}
	cmd.Flags().StringVar(&name, "scenario", account.Scenarios()[0].Name, "the account to simulate")
	_ = cmd.RegisterFlagCompletionFunc("scenario", completeScenario) // fails only for an unknown flag
	cmd.Flags().BoolVar(&lapse, "lapse", false, "show a time-lapse; the app's default")
	cmd.Flags().SetInterspersed(false) // flags behind the command belong to the command
	return cmd
}

// demoCascades are those of an editor with an open panel. More than a dozen of the
// cascades are stale enough to clean.
var demoCascades = simulator.Cascade{PanelReady: true, Old: 48, FileSize: 4_000_000}

func completeScenario(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all := scenarios()
	names := make([]cobra.Completion, 0, len(all))
	for _, s := range all {
		names = append(names, cobra.CompletionWithDesc(s.name, s.about))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// demonstrate calls run while the scenario's editors run.
func (s scenario) demonstrate(ctx context.Context, clock account.Lapse, run func(Demo) error) (err error) {
	removeOld(os.TempDir(), time.Now().Add(-leftOver))
	dir, err := os.MkdirTemp("", placePrefix)
	if err != nil {
		return fmt.Errorf("make a place for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	home := filepath.Join(dir, "home")
	services := cloud.Config{Now: clock.Now}
	var pids []int
	for _, e := range s.editors {
		if e.dataDir != "" {
			key := "sk-ws-01-demo-" + uuid.NewString()
			if err := signIn(ctx, filepath.Join(home, ".config", e.dataDir), "windsurfAuthStatus", `{"apiKey":"`+key+`"}`); err != nil {
				return err
			}
			services.Accounts = append(services.Accounts, cloud.Account{Token: key, Windsurf: e.config.Scenario, Owner: e.config.Account})
		}
		e.config.Lapse = clock
		options := simulator.Options{Root: dir, Home: home, App: e.app, IDEName: e.ideName, RunChild: true, Config: e.config}
		if e.agent {
			options.Agent = &agent.Behaviour{}
		}
		server, err := simulator.Start(ctx, options)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		pids = append(pids, server.PIDs()...)
	}
	var allow []string
	for _, in := range s.signIns {
		if err := in.write(ctx, home); err != nil {
			return err
		}
		services.Accounts, allow = append(services.Accounts, in.account), append(allow, in.allow)
	}
	cloudServer, err := cloud.New(services) //nolint:contextcheck // it ends by Close
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cloudServer.Close()) }()
	return run(Demo{
		Home: home, Owns: func(pid int) bool { return slices.Contains(pids, pid) },
		Now: clock.Now, Speed: cmp.Or(clock.Speed, 1),
		Transport: cloudServer.Transport(), Allow: allow,
	})
}

const (
	placePrefix = "windsock-demo-"
	// leftOver is the minimum age of a directory that counts as left by a killed demo.
	leftOver = 7 * 24 * time.Hour
)

// removeOld removes the directories of killed demos. It ignores those it cannot remove.
func removeOld(tmp string, before time.Time) {
	entries, _ := os.ReadDir(tmp) // without entries there is nothing to remove
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), placePrefix) {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.RemoveAll(filepath.Join(tmp, entry.Name()))
		}
	}
}
