//go:build graft

// What the packages hold beside the program is asked of the program itself: built
// with this file among its own (go build -overlay), it writes its completions,
// its commands and its icons into a directory, and ends.
package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windsock/probe"
	"windsock/tray/icon"
)

// It takes main's place, which so knows nothing of it.
//
//nolint:gochecknoinits // see above
func init() {
	if err := writeGraft(os.Args[1]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func writeGraft(dir string) error {
	root := newRoot(surroundings{newFinder: probe.NewFinder})
	files := map[string]func(*bytes.Buffer) error{
		"windsock.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"windsock.zsh":  func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"windsock.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"windsock.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
		"commands.json": func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(graftCommand(root)) },
	}
	for _, size := range []int{16, 22, 24, 32, 48, 64, 128, 256, 512, 1024} {
		files[fmt.Sprintf("%d.png", size)] = func(b *bytes.Buffer) error {
			return png.Encode(b, icon.Icon{Band: icon.OK, Level: icon.Steps}.Large(size))
		}
	}
	for name, write := range files {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// graftedCommand and graftedFlag are what a manual page says of a command.
type graftedCommand struct {
	Use, Short, Long, Example string

	Runnable bool
	Flags    []graftedFlag
	Commands []graftedCommand
}

type graftedFlag struct {
	Name, Shorthand, Usage, Type, Default, NoOpt string

	Hidden, Persistent bool
}

func graftCommand(cmd *cobra.Command) graftedCommand {
	g := graftedCommand{
		Use: cmd.Use, Short: cmd.Short, Long: cmd.Long, Example: cmd.Example,
		Runnable: cmd.Runnable(),
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		g.Flags = append(g.Flags, graftedFlag{
			f.Name, f.Shorthand, f.Usage, f.Value.Type(), f.DefValue, f.NoOptDefVal,
			f.Hidden, cmd.PersistentFlags().Lookup(f.Name) == f,
		})
	})
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" { // --help is on every page
			g.Commands = append(g.Commands, graftCommand(sub))
		}
	}
	return g
}
