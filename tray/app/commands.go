package app

import (
	"log/slog"

	"github.com/spf13/cobra"

	"windsock/chat/openai"
	"windsock/probe/say"
	"windsock/probe/simulator/demo"
	"windsock/tray/settings"
	"windsock/usage/history"
)

// quiet is a command's log, which drops everything: a person reads only the command's
// errors.
var quiet = slog.New(slog.DiscardHandler)

// newRoot lists the commands.
func newRoot(p parts) *cobra.Command {
	var headless, printVersion bool
	root := &cobra.Command{
		Use:   "windsock",
		Short: "Shows how much of a Windsurf plan is left",
		Long: `Windsock shows how much of a Windsurf (or Devin Desktop) plan is left, and whether it will
last: prompt and flex credits, or the daily and weekly quota. It asks the language server
that the editor already runs on this computer, and talks to nothing else unless you allow
that (windsock cloud).

Without a command, it shows an icon in the system tray or the menu bar.`,
		Example: `  windsock                 the icon
  windsock status          what is left, once
  windsock ask "hello"     one question to a model of the plan
  windsock demo            the same without Windsurf, from a simulated server`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return writeVersion(cmd)
			}
			p.deadline.extend(max(windowTime, openai.ShutdownTime)) // the app has both
			return process{
				parts: p, headless: headless, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), assemble: p.assemble,
			}.run(cmd.Context())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolVar(&headless, "headless", false, "poll and log without an icon, where there is no desktop")
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	root.AddCommand(p.newStatusCommand(), p.newSpendCommand(), p.newDoctorCommand(), p.newCloudCommand(), p.newPromptCommand(), p.newServeCommand(), newVersionCommand())
	root.AddCommand(p.newChatCommands()...)
	if p.demo {
		root.AddCommand(outsideDemo("history"), outsideDemo("config"), outsideDemo("antigravity"), outsideDemo("demo"))
	} else {
		root.AddCommand(
			history.NewCommand(func() (*history.Store, error) { return p.history(quiet), nil }, p.paceOptions),
			settings.NewCommand(func() (settings.File[config], error) { return p.settings, p.settingsErr }),
			p.newAntigravityCommand(),
			demo.NewCommand(p.runDemo),
		)
	}
	root.AddCommand(newTopics()...)
	explainUsage(root)
	p.complete(root)
	root.AddCommand(docsCommands()...)
	return root
}

// outsideDemo is a placeholder for a command that a demo lacks. Its error says why.
func outsideDemo(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return say.Usage("a demo has no %s of its own; without demo in front of it, windsock %[1]s is yours", name)
		},
	}
}

// runDemo runs a command line inside a demo.
func (p parts) runDemo(cmd *cobra.Command, inside demo.Demo, args []string) error {
	p = p.within(inside)
	if len(inside.Allow) > 0 {
		if err := p.set(func(c *config) { c.Cloud.Allow = inside.Allow }, ""); err != nil {
			return err
		}
	}
	inner := newRoot(p)
	inner.SetIn(cmd.InOrStdin())
	inner.SetOut(cmd.OutOrStdout())
	inner.SetErr(cmd.ErrOrStderr())
	inner.SetArgs(args)
	return inner.ExecuteContext(cmd.Context())
}
