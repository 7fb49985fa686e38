// Package cli has the commands that ask models, list them and archive old cascades,
// and their terminal output.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe/say"
)

// AskConfig has the parts of `windsock ask`.
type AskConfig struct {
	// Service returns the service that asks through the editor of that short name, or
	// through the engine of that ID; empty is the configured one, or any.
	Service func(variant, engine string) *chat.Service
	Consent Consent
	// Drain archives the cascades of earlier prompts. It runs while the person waits
	// for the answer, and its context ends with the answer.
	Drain func(context.Context)
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
}

// askCommand is `windsock ask`.
type askCommand struct {
	AskConfig
	consentCommand

	model, variant string
	json, stream   bool
	timeout        time.Duration
	images         []string // paths
}

// NewAskCommand is `windsock ask`.
func NewAskCommand(config AskConfig) *cobra.Command {
	return newAskCommand(&askCommand{AskConfig: config, consentCommand: consentCommand{Consent: config.Consent, console: newConsole()}})
}

func newAskCommand(c *askCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ask [PROMPT|-]",
		Short: "Send one prompt and print the answer",
		Long: `Send one prompt to a model of the plan, through the running editor, and print the answer.
What comes on standard input is added to the prompt, such as a diff to ask about. In a
loop of a shell, where standard input stays open, write </dev/null behind the command.

In a terminal the answer appears as it is written, then its cost if the server tells it.
Characters that would steer the terminal are taken out. In a pipe or a file the answer is
written once, complete, because a server may change what it has written; --stream writes
it bit by bit there, too. A pipe or a file gets every character, also those that steer a
terminal behind the pipe (| cat).

--image adds a PNG, JPEG, GIF or WebP to the prompt: up to 20, of 4 MB each and 8 MB
together. A model that takes none says so before anything is sent, and names those that
do. No other file is read.

The prompt runs in a cascade of its own, a conversation with the editor's agent. It is
archived when the answer is there, was cancelled, or went wrong. If Windsock is killed
before that, the next run archives it. Ctrl-C cancels the answer; a second one ends at
once. model = "…" under [chat] in the settings is the model to ask if none is named.

If the editor has no Cascade any more, --engine devin asks the agent that comes with it,
--engine cursor asks Cursor's, and --engine custom the command of chat.agent in the
settings. An agent is a whole program that may act: "windsock help agents" says more. You
are told and asked before it is started the first time, and "always" keeps your answer. If
standard input or standard error is no terminal, as in a script, nobody is asked: --engine
names the program, and that is your consent.`,
		Example: `  windsock ask "What does EXDEV mean?"
  git diff | windsock ask "write a commit message"
  windsock ask --model gpt-5.2:high < question.md > answer.md
  windsock ask --json "ping" | jq .cost
  windsock ask --image error.png "What is wrong here?"
  windsock ask --engine devin "What does EXDEV mean?"`,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.model, "model", "m", "", "ask this model: a `NAME` as windsock models lists it")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1, at the end")
	flags.BoolVar(&c.stream, "stream", false, "write the answer as it grows, also to a pipe or file")
	flags.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give up after `TIME`, such as 30s; 0 is never")
	flags.StringArrayVar(&c.images, "image", nil, "send the image in `FILE`, too; may be repeated")
	c.addFlags(cmd)
	flags.StringVar(&c.variant, "variant", "", "ask only through the editor `NAME`, such as windsurf-next")
	return cmd
}

func (c *askCommand) run(cmd *cobra.Command, args []string) error {
	switch {
	case c.timeout < 0:
		return say.Usage("--timeout takes a time such as 90s or 5m.")
	case c.json && c.stream:
		return say.Usage("--json comes at the end. Leave out --stream.")
	}
	ctx := cmd.Context()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	images, err := readImages(c.images)
	if err != nil {
		return err
	}
	text, err := readPrompt(ctx, args, cmd.InOrStdin(), c.terminal(cmd.InOrStdin()))
	if err != nil {
		return err
	}
	prompt := chat.Prompt{Text: text, Images: images}
	if err := c.seek(cmd); err != nil {
		return err
	}
	answer, model, err := c.send(ctx, cmd, c.engine, prompt)
	if engine, still := c.offer(cmd, err); engine != "" && still == nil {
		answer, model, err = c.send(ctx, cmd, engine, prompt)
	} else {
		err = still
	}
	if c.json {
		if written := writeAnswer(cmd.OutOrStdout(), answer, model, err); written != nil {
			return written
		}
	}
	return err
}

// send finds the model and asks it.
func (c *askCommand) send(ctx context.Context, cmd *cobra.Command, engine string, prompt chat.Prompt) (answer chat.Answer, model chat.Model, err error) {
	c.PutAway(chat.TidyTime + time.Second) // an agent runs from here on
	defer c.PutAway(0)
	service := c.Service(c.variant, engine)
	if answer.Engine, err = service.Engine(); err != nil {
		return answer, model, err
	}
	if model, _, err = service.Choose(ctx, c.model); err == nil {
		prompt.Model = model.UID
		answer, err = c.ask(ctx, cmd, service, model, prompt)
	}
	return answer, model, err
}

// ask sends the prompt and shows the answer as far as it is shown before its end.
func (c *askCommand) ask(ctx context.Context, cmd *cobra.Command, service *chat.Service, model chat.Model, prompt chat.Prompt) (chat.Answer, error) {
	var draining sync.WaitGroup // ends with the answer
	beside, stop := context.WithCancel(ctx)
	defer draining.Wait()
	defer stop()
	draining.Go(func() { c.Drain(beside) })
	// A reader that leaves early, as head does, would end the process at once, with the
	// turn still running.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	asking, leave := context.WithCancel(ctx)
	defer leave()
	screen := newScreen(cmd.OutOrStdout(), cmd.ErrOrStderr(), screenMode{stream: c.stream, silent: c.json})
	answer, err := service.Ask(asking, prompt, func(e chat.Event) {
		if screen.show(e); screen.failed != nil {
			leave()
		}
	})
	switch written := screen.end(answer, model, err); {
	case errors.Is(written, syscall.EPIPE):
		return answer, say.Told(1) // the reader has left
	case written != nil:
		return answer, fmt.Errorf("write answer: %w", written)
	}
	return answer, err
}

// problem says why the answer is missing or incomplete.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// writeAnswer writes schema 1. Beside an error it has the answer so far.
func writeAnswer(out io.Writer, a chat.Answer, m chat.Model, failed error) error {
	problems := []problem{}
	if failed != nil {
		problems = append(problems, problem{cmp.Or(say.Code(failed), "failed"), say.Sentence(failed, failed.Error())})
	}
	return writeJSON(out, struct {
		Schema int    `json:"schema"`
		Text   string `json:"text"`
		Model  string `json:"model"`

		chat.Account //nolint:embeddedstructfieldcheck // as the keys are ordered

		Problems []problem `json:"problems"`
	}{1, a.Text, m.UID, a.Account(), problems})
}
