// Package demo is `windsock demo`: the app beside a simulated editor with a signed-in
// user. Package account defines the accounts.
package demo

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
)

// Demo is a simulated editor: a simulated server, and the home directory of a signed-in
// user.
type Demo struct {
	// Home has a data directory below .config, and cascades, most of them stale,
	// below .codeium/windsurf.
	Home string
	// Owns reports whether a process belongs to the demo.
	Owns func(pid int) bool
	// Now is the clock of the server's dates. It runs Speed times faster than real
	// time. Without a time-lapse they are time.Now and 1.
	Now   func() time.Time
	Speed float64
}

// NewCommand is `windsock demo [COMMAND…]`. It calls run while a simulated server runs
// in a temporary directory, and removes both afterwards. The arguments are the command
// line behind demo's own flags, and may be empty. Without a command line, or with
// --lapse, the server and the demo's clock run in a time-lapse.
func NewCommand(run func(cmd *cobra.Command, demo Demo, args []string) error) *cobra.Command {
	var scenario string
	var lapse bool
	cmd := &cobra.Command{
		Use:   "demo [flags] [command]",
		Short: "Run Windsock against a simulated editor",
		Long: `Run a command, or the tray app if none is named, against a language server
that is simulated, for a look at Windsock without Windsurf. All figures are made
up.

The app shows a time-lapse, in which a billing cycle, or the day or the week of a
quota, takes a minute: what is left is used up evenly, and resets bring it back,
again and again. By default credits run low after a quarter of a minute, flex
credits take over, and the reset comes at half a minute. acu stays on course, and
quota_tight and quota_debt go on at extra cost. With --lapse=false the figures stand
still, as they do for a command without --lapse.

A prompt is answered by the simulator itself, which says so; its cost is taken from
the account. The word turn:NAME in it asks for another course, turn:rewrite or
turn:error_quota for example.

Other clients of a language server find this one, too. In a released build it
speaks HTTP/1.1 alone, so that it can be asked by Connect, but not by gRPC, which
needs HTTP/2.

Scenarios:
` + scenarioTable(),
		Example: `  windsock demo
  windsock demo status
  windsock demo --scenario quota_tight status --json
  windsock demo --lapse status --watch --interval 10s`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := account.Named(scenario)
			if err != nil {
				return say.Usage("%w", err)
			}
			config := simulator.Config{Scenario: scenario, Cascade: demoCascades}
			if !cmd.Flags().Changed("lapse") {
				lapse = len(args) == 0
			}
			if lapse {
				config.Lapse = account.Lapse(time.Now())
			}
			return demonstrate(cmd.Context(), config, func(demo Demo) error {
				// On stderr, so that a pipe gets the command's output only.
				cmd.PrintErrf("windsock demo: figures of a simulated server (%s), made up\n", scenario)
				// Not nil: cobra would then use the arguments of the process.
				return run(cmd, demo, append([]string{}, args...))
			})
		},
	}
	cmd.Flags().StringVar(&scenario, "scenario", account.Scenarios()[0].Name, "the account to simulate")
	_ = cmd.RegisterFlagCompletionFunc("scenario", completeScenario) // fails only for an unknown flag
	cmd.Flags().BoolVar(&lapse, "lapse", false, "show a time-lapse; the app's default")
	cmd.Flags().SetInterspersed(false) // flags behind the command belong to the command
	return cmd
}

// demoCascades are those of an editor with an open panel. More than a dozen of the
// cascades are stale enough to clean.
var demoCascades = simulator.Cascade{PanelReady: true, Old: 26, FileSize: 4_000_000}

func scenarioTable() string {
	var table strings.Builder
	for _, s := range account.Scenarios() {
		fmt.Fprintf(&table, "  %-24s %s\n", s.Name, s.About)
	}
	return table.String()
}

func completeScenario(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := make([]cobra.Completion, 0, len(account.Scenarios()))
	for _, s := range account.Scenarios() {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.About))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func demonstrate(ctx context.Context, config simulator.Config, run func(Demo) error) (err error) {
	removeOld(os.TempDir(), time.Now().Add(-leftOver))
	dir, err := os.MkdirTemp("", placePrefix)
	if err != nil {
		return fmt.Errorf("make a place for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	home := filepath.Join(dir, "home")
	if err := signIn(ctx, filepath.Join(home, ".config", "Windsurf"), "sk-ws-01-demo-"+uuid.NewString()); err != nil {
		return err
	}
	server, err := simulator.Start(ctx, simulator.Options{Root: dir, Home: home, IDEName: "windsurf", RunChild: true, Config: config})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	pids := server.PIDs()
	return run(Demo{
		Home: home, Owns: func(pid int) bool { return slices.Contains(pids, pid) },
		Now: config.Lapse.Now, Speed: cmp.Or(config.Lapse.Speed, 1),
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

// signIn writes the part of the editor's database that holds the API key, below its
// data directory (PROTOCOL.md 5.1).
func signIn(ctx context.Context, dir, key string) (err error) {
	dir = filepath.Join(dir, "User", "globalStorage")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("sign the demo in: %w", err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "state.vscdb"))
	if err != nil {
		return fmt.Errorf("sign the demo in: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
		INSERT INTO ItemTable VALUES ('windsurfAuthStatus', json_object('apiKey', ?))`, key); err != nil {
		return fmt.Errorf("sign the demo in: %w", err)
	}
	return nil
}
