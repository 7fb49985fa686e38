package openai

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage/poll"
)

// ServeConfig is what `windsock serve` is made of.
type ServeConfig struct {
	// Service gives who is asked: the model for requests that name none, and the
	// editor's short name, where each is empty for the configured one.
	Service func(model, variant string, logger *slog.Logger) *chat.Service
	// Usage asks for what the plan has left; variant is as in Service.
	Usage func(ctx context.Context, variant string) poll.State
	// Settings are the configured ones. Its error ends the command.
	Settings func() (Config, error)
	Dir      string
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
	// ShowKey prints what programs need at once, and never for --print-env; see
	// Options.
	ShowKey bool
}

// serveCommand is `windsock serve`.
type serveCommand struct {
	ServeConfig

	port, concurrency        int
	model, variant, printEnv string
	verbose                  bool
	terminal                 func(any) bool
}

// NewServeCommand is `windsock serve`.
func NewServeCommand(config ServeConfig) *cobra.Command {
	return newServeCommand(&serveCommand{ServeConfig: config, terminal: terminal.Is})
}

func newServeCommand(c *serveCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the plan's models to other programs",
		Long: `Serve the models of the plan to other programs of yours on this computer, as
OpenAI's API does: chat completions, streamed or not, with tools and JSON, and the
list of models. Each request is a prompt that is paid for as any other, in a cascade
that is archived afterwards: it leaves the editor's list, and its file stays. Ctrl-C
ends serving.

Programs need an address and a key, which is made at the first start and kept in a
file that only you can read; --print-env prints both. Requests of web pages, of
other accounts and without the key are refused.`,
		Example: `  windsock serve
  eval "$(windsock serve --print-env)" && aider --model openai/claude-opus-4-7
  windsock serve --print-env=powershell | Invoke-Expression
  curl -H "Authorization: Bearer $OPENAI_API_KEY" "$OPENAI_BASE_URL/usage"`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.IntVar(&c.port, "port", DefaultConfig().Port, "serve on this `PORT` of 127.0.0.1, or on another one where it is taken")
	flags.IntVar(&c.concurrency, "concurrency", DefaultConfig().Concurrency, "allow this `NUMBER` of answers at once")
	flags.StringVarP(&c.model, "model", "m", "", "ask this model where a request names none: a `NAME` as windsock models lists it")
	flags.StringVar(&c.variant, "variant", "", "ask only through the editor `NAME`, such as windsurf-next")
	flags.StringVar(&c.printEnv, "print-env", "", "print what a program needs, for a `SHELL` (sh, bash, zsh, fish, powershell), and end")
	flags.Lookup("print-env").NoOptDefVal = defaultShell
	flags.BoolVar(&c.verbose, "verbose", false, "write a line for each request in a terminal, too, as elsewhere")
	return cmd
}

func (c *serveCommand) run(cmd *cobra.Command, _ []string) error {
	config, err := c.Settings()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("port") {
		config.Port = c.port
	}
	if cmd.Flags().Changed("concurrency") {
		config.Concurrency = c.concurrency
	}
	if len(config.Invalid()) > 0 {
		return say.Usage("--port takes a number from 1024 to 65535, and --concurrency one from 1 to 16.")
	}
	if cmd.Flags().Changed("print-env") {
		if c.ShowKey {
			return say.Usage("A demo's key is another one each time, and gone with it: what programs need is printed when it begins to serve.")
		}
		return c.printEnvironment(cmd, config.Port)
	}
	c.PutAway(ShutdownTime)
	logger := c.logger(cmd.ErrOrStderr())
	server := New(Options{
		Chat:    c.Service(c.model, c.variant, logger),
		Usage:   func(ctx context.Context) poll.State { return c.Usage(ctx, c.variant) },
		ShowKey: c.ShowKey, Dir: c.Dir, Config: config,
		Changed: c.announce(cmd, config),
		Log:     logger,
	})
	return server.Run(cmd.Context())
}

// logger writes a line for each request to a file or a pipe. In a terminal, where a
// person reads, it is only what went wrong unless they ask for more.
func (c *serveCommand) logger(stderr io.Writer) *slog.Logger {
	level := slog.LevelInfo
	if c.terminal(stderr) && !c.verbose {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

// announce says where it is served, once it is.
func (c *serveCommand) announce(cmd *cobra.Command, config Config) func(Status) {
	told := false
	return func(s Status) {
		if told || s.Port == 0 {
			return
		}
		told = true
		text := "Serving your plan's models on " + baseURL(s.Port) + "\n"
		if s.Port != config.Port {
			text = fmt.Sprintf("Port %d is taken, so it is another one this time.\n", config.Port) + text
		}
		if key, err := readKey(c.Dir); c.ShowKey && err == nil {
			text += "Programs need the lines below. Ctrl-C ends it.\n" + environment(shells[systemShell], s.Port, key)
		} else {
			text += "`windsock serve --print-env` prints what programs need. Ctrl-C ends it.\n"
		}
		_, _ = fmt.Fprint(cmd.OutOrStdout(), text) // it serves without, too
	}
}

func baseURL(port int) string { return fmt.Sprintf("http://127.0.0.1:%d/v1", port) }
