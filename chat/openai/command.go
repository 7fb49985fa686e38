package openai

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/secret"
	"windsock/probe/terminal"
)

// ServeConfig has the parts of `windsock serve`.
type ServeConfig struct {
	// Options returns the server's options: model is for requests that name none,
	// variant the editor's short name, and each is empty for the configured one. The
	// command adds Config and Changed.
	Options func(model, variant string, logger *slog.Logger) Options
	// Settings returns the configured ones. Its error ends the command.
	Settings func() (Config, error)
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
}

// serveCommand is `windsock serve` with its flags.
type serveCommand struct {
	ServeConfig

	port, concurrency        int
	model, variant, printEnv string
	verbose                  bool
}

// NewServeCommand is `windsock serve`.
func NewServeCommand(config ServeConfig) *cobra.Command {
	c := &serveCommand{ServeConfig: config}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the plan's models to other programs",
		Long: `Serve the models of the plan to your other programs on this computer, as OpenAI's API
does: chat completions and responses, streamed or not, with tools, JSON and images, and the
list of models. "windsock help api" has recipes for Codex, opencode and others.

Each request is a prompt that your plan pays for. It runs in a cascade that is archived
afterwards: it leaves the editor's list, and its file stays. Ctrl-C ends serving.

Programs need an address and a key. The key is made at the first start and kept in a file
that only you can read; --print-env prints both. Requests of web pages, of other accounts
and without the key are refused.`,
		Example: `  windsock serve
  eval "$(windsock serve --print-env)" && aider --model openai/claude-opus-4-7
  windsock serve --print-env=powershell | Invoke-Expression
  curl -H "Authorization: Bearer $OPENAI_API_KEY" "$OPENAI_BASE_URL/usage"`,
		Args: cobra.NoArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.IntVar(&c.port, "port", DefaultConfig().Port, "serve on this `PORT` of 127.0.0.1, or on another one if it is taken")
	flags.IntVar(&c.concurrency, "concurrency", DefaultConfig().Concurrency, "allow this `NUMBER` of answers at once")
	flags.StringVarP(&c.model, "model", "m", "", "ask this model if a request names none: a `NAME` as windsock models lists it")
	flags.StringVar(&c.variant, "variant", "", "ask only through the editor `NAME`, such as windsurf-next")
	flags.StringVar(&c.printEnv, "print-env", "", "print what a program needs, for a `SHELL` (sh, bash, zsh, fish, powershell), and end")
	flags.Lookup("print-env").NoOptDefVal = autoShell
	flags.BoolVar(&c.verbose, "verbose", false, "in a terminal, too, write a line for each request")
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
	options := c.Options(c.model, c.variant, newLogger(cmd.ErrOrStderr(), terminal.Is(cmd.ErrOrStderr()) && !c.verbose))
	if cmd.Flags().Changed("print-env") {
		if options.ShowKey {
			return say.Usage("A demo makes a new key each time. What programs need is printed when it begins to serve.")
		}
		return printEnvironment(cmd, options.Dir, c.printEnv, config.Port)
	}
	c.PutAway(ShutdownTime)
	options.Config = config
	options.Changed = announce(cmd.OutOrStdout(), options)
	return New(options).Run(cmd.Context())
}

// newLogger writes a line for each request. With quiet, as in a terminal that a person
// reads, it writes failures only.
func newLogger(stderr io.Writer, quiet bool) *slog.Logger {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

// announce tells a person the address once the server is ready.
func announce(out io.Writer, o Options) func(State) {
	told := false
	return func(s State) {
		if told || s.Port == 0 {
			return
		}
		told = true
		text := "Serving your plan's models on " + baseURL(s.Port) + "\n"
		if s.Port != o.Config.Port {
			text = fmt.Sprintf("Port %d is taken, so it is another one this time.\n", o.Config.Port) + text
		}
		if key, err := readKey(o.Dir); o.ShowKey && err == nil {
			text += "Programs need the lines below. Ctrl-C ends it.\n" + environment(shells[systemShell()], s.Port, key)
		} else {
			text += "`windsock serve --print-env` prints what programs need. Ctrl-C ends it.\n"
		}
		_, _ = io.WriteString(out, text) // it serves anyway
	}
}

// autoShell is --print-env without a value.
const autoShell = "auto"

func systemShell() string {
	if runtime.GOOS == "windows" {
		return "powershell"
	}
	return "sh"
}

const bourne = "export %s='%s'\n"

// shells maps each shell to its syntax for a variable. No value contains a quote.
var shells = map[string]string{
	"sh":         bourne,
	"bash":       bourne,
	"zsh":        bourne,
	"fish":       "set -gx %s '%s'\n",
	"powershell": "$Env:%s = '%s'\n",
}

// printEnvironment prints the variables that programs need. It makes a missing key, so
// that a program can get the key before the first start.
func printEnvironment(cmd *cobra.Command, dir, shell string, port int) error {
	if shell == autoShell {
		shell = systemShell()
	}
	line, ok := shells[shell]
	if !ok {
		return say.Usage("--print-env takes sh, bash, zsh, fish or powershell, as in --print-env=fish.")
	}
	key, err := anyKey(cmd.Context(), dir)
	if err != nil {
		return err
	}
	port, served, err := servedAt(cmd.Context(), dir, port)
	if err != nil {
		return err
	}
	if !served {
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "windsock: Nothing is served now. Start `windsock serve`; it takes this port if it is free.")
	}
	if err == nil {
		_, err = io.WriteString(cmd.OutOrStdout(), environment(line, port, key))
	}
	if err != nil {
		return fmt.Errorf("write environment: %w", err)
	}
	return nil
}

// environment returns the variables that OpenAI's libraries read.
func environment(line string, port int, key secret.Secret) string {
	return fmt.Sprintf(line, "OPENAI_BASE_URL", baseURL(port)) + fmt.Sprintf(line, "OPENAI_API_KEY", key.Reveal())
}

func baseURL(port int) string { return fmt.Sprintf("http://127.0.0.1:%d/v1", port) }
